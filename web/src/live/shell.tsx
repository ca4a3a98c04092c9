// The frame with the pages in it: which one is shown, whether the program is heard,
// and what is wrong now.
import { computed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Frame } from "../ui/frame";
import { clock } from "../ui/plot";
import { LeverDialog } from "./levers/dialog";
import { TimeBar } from "./timebar";
import { pages } from "./pages";
import { href, route } from "./router";
import { connection, missed, snapshot } from "./store";

// The frame changes with these alone, and not with each snapshot.
const serviceName = computed(() => snapshot.value?.service);
const isDemo = computed(() => snapshot.value?.demo === true);

export function Shell() {
  const { page: id, rest } = route.value;
  const page = pages.find((p) => p.id === id);
  const title = page?.nav === false ? rest : (page?.title ?? "No such page");
  const service = serviceName.value;
  useEffect(() => {
    document.title = ["Seakeep", service, title].filter(Boolean).join(": ");
  }, [service, title]);
  const ways = [...pages.filter((p) => p.nav && (!p.demo || isDemo.value)).map((p) => ({ href: href(p.id), text: p.title, here: p.id === id })),
    { href: "./try.html", text: "Try it", here: false }];
  const View = page?.view;
  return (
    <Frame ways={ways}>
      <Lost />
      <main class="live" id="main" data-connection={connection.value.state}>
        {page?.timed && <TimeBar />}
        {View ? <View key={id + rest} rest={rest} /> : <NoPage />}
        {missed.value > 0 && <p class="soft note">{missed.value} changes were not told to this page, which was too slow or away for too long: lists of changes may have gaps.</p>}
      </main>
      <LeverDialog />
    </Frame>
  );
}

function NoPage() {
  return <><h1>No such page</h1><p>The address says <code>{route.value.page}</code>. <a href={href("wall")}>The wall</a> shows everything.</p></>;
}

/** Says that nothing is heard, since when and why; what is shown is of before. */
function Lost() {
  const c = connection.value;
  const lost = c.state === "lost";
  const [, again] = useState(0);
  useEffect(() => {
    if (!lost) return;
    const timer = setInterval(() => again((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [lost]);
  if (!lost) return <p class="lost away" role="status">{c.state === "live" ? "" : "Connecting"}</p>;
  const s = Math.round((Date.now() - c.since) / 1000);
  return (
    <p class="lost" role="status">
      <b>▲ Nothing is heard of the program since {clock(c.since, 1000)}</b>, <span aria-hidden="true">{s < 120 ? `${s} s` : `${Math.floor(s / 60)} min`} ago</span>: {c.why}.{" "}
      {snapshot.value ? "The last figures stay, and it is tried again." : "It is tried again."}
    </p>
  );
}
