// Where measured and predicted differ, in numbers, and why.
import type { Foretold, Measured } from "../demo/api";
import { valueText } from "../../ui/strip";
import { Panel } from "../../ui/panel";
import { Table } from "../../ui/table";
import { ms, percent } from "../words";
import { byChance, isOn, verdict, type Beside, type Grid } from "./model";

/** How late requests are, in ms, when a machine is too busy for its figures to mean much: as in the demo's report. */
const busy = 100;

interface Props {
  all: Beside[];
  grid: Grid;
  from: number;
  to: number;
  runs: number;
  of: Foretold;
  measured: Measured | null;
}

export function Differences({ all, grid, from, to, runs, of, measured }: Props) {
  const rows = all.map((b) => ({ b, v: verdict(b, grid, from, to) }));
  const late = Math.max(0, ...(measured?.late_ms ?? []).slice(-60).map((v) => v ?? 0));
  return (
    <Panel title="Where they differ, and why" wide twin={{ cli: "make demo-and-simulation", api: "/api/v1/demo/world" }}>
      <Table name="Measured and predicted in numbers" class="scroll tall" head={["of the last minute", "measured", "predicted", "seconds outside"]}>
        {rows.map(({ b, v }) => (
          <tr key={b.topic.id}>
            <th scope="row">{b.topic.name}</th>
            <td>{v.seconds ? valueText(b.chart, v.measured) : "–"}</td>
            <td>{v.seconds ? valueText(b.chart, v.predicted) : "–"}</td>
            <td>{v.seconds ? `${v.outside} of ${v.seconds}` : "–"}</td>
          </tr>
        ))}
      </Table>
      <ul class="reasons">
        <li><b>Chance.</b> What is measured is one run. A further run would lie outside the band of {runs} in {percent(byChance(runs))} of the seconds by chance alone, and never
          where all runs are alike, such as at 100 %.</li>
        <li><b>Work costs time.</b> Here each request passes two servers and two clients on this machine: 1 to 4 ms in every answer, also in those of a fallback. In the simulator
          only what the scenario names takes time.</li>
        <li><b>This machine does other things.</b> In the last minute requests were made up to {ms(late)} late. What was due then comes in one burst, which shows as busy workers and
          a higher p99{late > busy && "; a pause as long as that looks like a slow dependency, for which a breaker may open here and not there"}.</li>
        {isOn(of.protect, "breaker") && <li><b>When a breaker tries again is drawn by lot,</b> within 20 %, there and here. After it has opened once the moments drift apart; the
          shares should not.</li>}
        {of.lead_s > 0 && <li><b>The beginning.</b> The simulated program starts anew {of.lead_s} s before what is shown, with closed breakers and empty windows.</li>}
        <li><b>Down, by order.</b> In the simulator that also drops what is under way; here what is under way is still answered.</li>
      </ul>
      <p class="soft note">With tables of longer runs: <code>docs/demo-and-simulation.md</code>.</p>
    </Panel>
  );
}
