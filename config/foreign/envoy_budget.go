package foreign

import "strconv"

// budget writes the limit on retries under way into a retry section.
func (t thresholds) budget(retry *block) {
	percent, floor, limited := t.share()
	section := t.n.section("retry_budget")
	single := t.n.scalar("max_retries")
	if !limited {
		n := single
		if section != nil {
			n = section
		}
		retry.put("budget", "none", origin{n: n, fate: Approximated,
			note: "more than 1000000 limits nothing, so there is no budget"})
		if section != nil {
			single.drop("retry_budget overrides it")
		}
		return
	}
	b := retry.sub("budget")
	if section != nil {
		if len(section.kids) == 0 {
			section.note(Mapped, target{b, "concurrent"}, "Envoy's defaults")
		}
		t.ratio(b, section, percent)
		b.whole("floor", section.scalar("min_retry_concurrency"), floor)
		single.drop("retry_budget overrides it")
		return
	}
	b.fill("concurrent", "0%", "max_retries is a number, not a share")
	b.whole("floor", single, floor)
}

// ratio writes the share of a retry budget.
func (t thresholds) ratio(b *block, section *node, percent float64) {
	n := percentOf(section)
	given, ok := parseNumber(n.says())
	if !ok {
		if n != nil {
			n.drop("not a percentage from 0 to 100")
		}
		b.fill("concurrent", showPercent(percent), "Envoy's default")
		return
	}
	switch p := boundPercent(given, 0, 100); {
	case p.value > 0 && p.value < leastPercent:
		b.put("concurrent", "0%", origin{n: n, fate: Approximated,
			note: "less than 0.1% is not counted"})
	default:
		b.put("concurrent", showPercent(p.value), p.origin(n))
	}
}

// whole writes a whole number that comes from n, or is Envoy's default.
func (b *block) whole(key string, n *node, value int64) {
	text := strconv.FormatInt(value, 10)
	if _, ok := parseCount(n.says()); ok {
		b.put(key, text, origin{n: n})
		return
	}
	if n != nil {
		n.drop("not a whole number")
	}
	b.fill(key, text, "Envoy's default")
}

// unused settles the limits on retries where nothing retries. If the input
// holds no route at all, the retries that a limit is for are in another file,
// so it becomes the retries that Envoy makes by default.
func (t thresholds) unused(dep *block, routed bool) {
	section, single := t.n.section("retry_budget"), t.n.scalar("max_retries")
	_, _, limited := t.share()
	switch {
	case section == nil && single == nil:
	case !t.allow():
		section.drop("it lets no retry through, so there is none")
		single.drop("it lets no retry through, so there is none")
	case routed:
		section.drop("no route to this cluster makes a retry")
		single.drop("no route to this cluster makes a retry")
	case !limited:
		section.drop("more than 1000000 limits nothing")
		single.drop("more than 1000000 limits nothing")
	default:
		retry := dep.sub("retry")
		dep.noteOf("retry", "how often routes retry is not in the input; write what yours do")
		retry.fill("attempts", "2", "one retry, Envoy's default for a route that retries")
		t.budget(retry)
	}
}
