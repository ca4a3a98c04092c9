/** A bar with a mark. Its value is beside it as a number; the bar says nothing more. */
export function Track({ label, at, mark, text }: { label: string; at: number; mark?: number; text: string }) {
  return (
    <div class="track-row">
      <span class="label">{label}</span>
      <span class="track" aria-hidden="true">
        <span class="fill" style={{ width: `${at * 100}%` }} />
        {mark !== undefined && <span class="mark" style={{ left: `${mark * 100}%` }} />}
      </span>
      <span class="value">{text}</span>
    </div>
  );
}
