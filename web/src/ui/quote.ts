// Names of other people in commands and queries: they may have anything in them.

/** A word for a shell: as it is, or in quotes. */
export const shellWord = (s: string): string => (/^[\w@%+=:,./-]+$/.test(s) ? s : `'${s.replaceAll("'", `'\\''`)}'`);

/** A string of PromQL. */
export const promString = (s: string): string => JSON.stringify(s);
