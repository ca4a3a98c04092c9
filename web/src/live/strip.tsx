// A chart over the time that all charts show, and that dragging over it changes.
import type { ComponentProps } from "preact";
import { Strip } from "../ui/strip";
import type { Loaded } from "./history";
import { range, zoom } from "./range";

type Props = Pick<ComponentProps<typeof Strip>, "chart" | "marks" | "ribbon" | "height" | "under"> & { loaded: Loaded };

export function LiveStrip({ loaded, ...more }: Props) {
  const { from, to } = range.value;
  return <Strip {...more} times={loaded.times} from={from} to={to} sync="live" wall onZoom={zoom} />;
}
