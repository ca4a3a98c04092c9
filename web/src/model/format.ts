// Numbers as people read them: no more digits than the interval is good for.

/** Decimal places that an interval leaves of a number. */
export function places(mean: number, half: number | null): number {
  if (half === null || !Number.isFinite(half)) return Math.abs(mean) >= 10 || Number.isInteger(mean) ? 0 : 1;
  if (half < 0.05) return Number.isInteger(mean) && half === 0 ? 0 : 1;
  return half < 0.95 ? 1 : 0;
}

export function pm(mean: number | null | undefined, half: number | null | undefined, unit = "", scale = 1): { value: string; half: string } {
  if (mean === null || mean === undefined || !Number.isFinite(mean)) return { value: "none", half: "" };
  const m = mean * scale;
  const h = half === null || half === undefined ? null : half * scale;
  const digits = places(m, h);
  const value = m.toFixed(digits) + unit;
  return { value, half: h === null ? "one run: no interval" : `± ${h.toFixed(digits)}${unit}` };
}

const NB = "\u00a0";
export const percent = (mean: number | null, half: number | null) => pm(mean, half, `${NB}%`, 100);
export const millis = (mean: number | null, half: number | null) => pm(mean, half, `${NB}ms`, 1000);
export const perSecond = (mean: number | null, half: number | null) => pm(mean, half, `${NB}/s`);

/** A figure of a report in its unit. */
export function figureText(unit: string, mean: number | null, half: number | null) {
  switch (unit) {
    case "share":
      return percent(mean, half);
    case "s":
      return millis(mean, half);
    case "/s":
      return perSecond(mean, half);
  }
  return pm(mean, half);
}

export function seconds(s: number): string {
  return `${s.toFixed(2)}${NB}s`;
}

export function csvCell(s: string | number | null): string {
  const t = s === null ? "" : String(s);
  return /[",\n]/.test(t) ? `"${t.replaceAll('"', '""')}"` : t;
}

/** A number as the command writes it: with an exponent of two digits below 1e-4
 * and from 1e9 on, where JavaScript waits longer. */
export function csvNumber(x: number | null): string {
  if (x === null) return "";
  const size = Math.abs(x);
  if (x === 0 || (size >= 1e-4 && size < 1e9)) return String(x);
  return x.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
