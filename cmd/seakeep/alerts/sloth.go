package alerts

import "time"

// slothWindows are those that Sloth records, beside the period.
var slothWindows = []time.Duration{5 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour,
	24 * time.Hour, 72 * time.Hour}

// slothLabels are what Sloth's series and alerts have.
func (o objective) slothLabels(more ...Pair) []Pair {
	return append([]Pair{{"sloth_id", o.service + "-" + o.Name}, {"sloth_service", o.service},
		{"sloth_slo", o.Name}}, more...)
}

// sloth records what Sloth's own rules do, so that its dashboards and what was
// built on them work: the same names and the same labels, and no others. Its
// ratios are divided from our counts.
func (o objective) sloth(base string) Group {
	g := Group{Name: base + "-sloth", Interval: "30s"}
	add := func(record, expr string, more ...Pair) {
		g.Rules = append(g.Rules, Rule{Record: record, Expr: expr, Labels: o.slothLabels(more...)})
	}
	period := Window(o.Window.Length())
	seen := map[string]bool{}
	for _, d := range append(o.windows(), o.Window.Length()) {
		w := Window(d)
		if seen[w] {
			continue
		}
		seen[w] = true
		add("slo:sli_error:ratio_rate"+w, "sum("+o.made(badRecord+w)+") / (sum("+o.made(eventsRecord+w)+") > 0)",
			Pair{"sloth_window", w})
	}
	own := func(record string) string { return record + `{sloth_id="` + o.service + "-" + o.Name + `"}` }
	add("slo:objective:ratio", "vector("+number(o.Config.Objective)+")")
	add("slo:error_budget:ratio", "vector("+number(o.Budget())+")")
	add("slo:time_period:days", "vector("+number(o.Window.Length().Hours()/24)+")")
	const join = " / on (sloth_id, sloth_slo, sloth_service) group_left () "
	add("slo:current_burn_rate:ratio", own("slo:sli_error:ratio_rate5m")+join+own("slo:error_budget:ratio"))
	add("slo:period_burn_rate:ratio", own("slo:sli_error:ratio_rate"+period)+join+own("slo:error_budget:ratio"))
	add("slo:period_error_budget_remaining:ratio", "1 - "+own("slo:period_burn_rate:ratio"))
	add("sloth_slo_info", "vector(1)", Pair{"sloth_mode", "seakeep"}, Pair{"sloth_objective",
		number(100 * o.Config.Objective)}, Pair{"sloth_spec", "prometheus/v1"}, Pair{"sloth_version", "seakeep"})
	return g
}
