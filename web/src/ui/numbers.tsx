// The numbers of charts, as a table. They stand still while they are read.
import { useMemo, useState } from "preact/hooks";
import { clock, type Chart } from "./plot";
import { valueText } from "./strip";

const most = 200;

/** A table's head and its rows, the newest first. */
export function rowsOf(charts: readonly Chart[], times: readonly number[]): { head: string[]; rows: string[][] } {
  const lines = charts.flatMap((c) => c.lines.map((l) => ({ c, l })));
  const many = charts.length > 1;
  const rows: string[][] = [];
  for (let k = times.length - 1; k >= 0 && rows.length < most; k--) {
    if (lines.every(({ l }) => (l.values[k] ?? null) === null)) continue;
    rows.push([`${clock(times[k]!, 86_400_000)} ${clock(times[k]!, 1000)}`, ...lines.map(({ c, l }) => valueText(c, l.values[k] ?? null))]);
  }
  return { head: ["time", ...lines.map(({ c, l }) => (many ? `${c.title}: ${l.label}` : l.label))], rows };
}

export function Numbers({ charts, times, name }: { charts: readonly Chart[]; times: readonly number[]; name: string }) {
  const [table, set] = useState<ReturnType<typeof rowsOf> | null>(null);
  // Made once: the page around it is made anew with every snapshot.
  const body = useMemo(() => table && (
    <table>
      <thead><tr>{table.head.map((h) => <th key={h} scope="col">{h}</th>)}</tr></thead>
      <tbody>{table.rows.map((row) => <tr key={row[0]}>{row.map((v, n) => (n === 0 ? <th key={n} scope="row">{v}</th> : <td key={n}>{v}</td>))}</tr>)}</tbody>
    </table>
  ), [table]);
  return (
    <details class="numbers" onToggle={(e) => set(e.currentTarget.open ? rowsOf(charts, times) : null)}>
      <summary>Numbers</summary>
      {table && (
        <>
          <p class="soft note">
            {table.rows.length ? `The newest first, ${most} at most, as of when this was opened. ` : "There are none in this time. "}
            <button type="button" onClick={() => set(rowsOf(charts, times))}>Renew</button>
          </p>
          <div class="scroll" tabIndex={0} role="region" aria-label={`Numbers of ${name}`}>{body}</div>
        </>
      )}
    </details>
  );
}
