package alerts

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/slo"
)

// OpenSLO writes the objectives of a file as documents of OpenSLO v1, and
// returns what they cannot say.
func OpenSLO(f *config.File, w io.Writer) (losses []string, err error) {
	var b strings.Builder
	service := rfc1123(f.Service)
	fmt.Fprintf(&b, "# Objectives of %s, made by seakeep export openslo.\n", f.Service)
	document(&b, "Service", service)
	fmt.Fprintf(&b, "  description: %q\n", f.Service)
	if f.SLO == nil {
		return nil, nil
	}
	for i := range f.SLO.Objectives {
		o := objective{Options{}, f.Service, &f.SLO.Objectives[i]}
		o.openSLO(&b, service)
		losses = append(losses, o.losses()...)
	}
	_, err = io.WriteString(w, b.String())
	return losses, err
}

// rfc1123 makes a name of a policy file one that OpenSLO takes: small letters,
// digits and hyphens, at most 63.
func rfc1123(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return '-'
	}, strings.ToLower(name))
	return strings.Trim(name, "-")
}

// document begins one.
func document(b *strings.Builder, kind, name string) {
	if strings.Contains(b.String(), "\nkind:") {
		b.WriteString("---\n")
	}
	fmt.Fprintf(b, "apiVersion: openslo/v1\nkind: %s\nmetadata:\n  name: %s\nspec:\n", kind, name)
}

func (o objective) openSLO(b *strings.Builder, service string) {
	name := rfc1123(o.Name)
	query := func(metric string) string { return "sum(increase(" + o.of(metric) + "[5m]))" }
	document(b, "SLO", name)
	fmt.Fprintf(b, "  service: %s\n  indicator:\n    metadata:\n      name: %s-events\n", service, name)
	b.WriteString("    spec:\n      ratioMetric:\n        counter: false\n")
	for _, part := range [][2]string{{"bad", BadMetric}, {"total", EventsMetric}} {
		fmt.Fprintf(b, "        %s:\n          metricSource:\n            type: Prometheus\n            spec:\n"+
			"              query: %s\n", part[0], strconv.Quote(query(part[1])))
	}
	b.WriteString("  timeWindow:\n")
	if c := o.Window.Calendar; c == slo.Rolling {
		fmt.Fprintf(b, "    - duration: %s\n      isRolling: true\n", Window(o.Window.Length()))
	} else {
		length := map[slo.Calendar]string{slo.Week: "1w", slo.Month: "1M", slo.Quarter: "1Q"}[c]
		const start = "2024-01-01 00:00:00" // the first of a quarter and of a month, and a Monday
		zone := "UTC"
		if o.Window.Zone != nil {
			zone = o.Window.Zone.String()
		}
		fmt.Fprintf(b, "    - duration: %s\n      isRolling: false\n      calendar:\n", length)
		fmt.Fprintf(b, "        startTime: %q\n        timeZone: %s\n", start, zone)
	}
	fmt.Fprintf(b, "  budgetingMethod: Occurrences\n  objectives:\n    - displayName: %q\n      targetPercent: %s\n",
		Goal(o.Config.Objective)+" good", number(100*o.Config.Objective))
	if len(o.Alerts) == 0 {
		return
	}
	b.WriteString("  alertPolicies:\n")
	for _, p := range o.Alerts {
		fmt.Fprintf(b, "    - alertPolicyRef: %s-burn-%s\n", name, Window(p.Long))
	}
	for _, p := range o.Alerts {
		o.openAlert(b, name, p)
	}
}

// openAlert writes the policy and the one condition that a policy may have.
func (o objective) openAlert(b *strings.Builder, name string, p slo.Pair) {
	severity := "ticket"
	if p.Page {
		severity = "page"
	}
	id := name + "-burn-" + Window(p.Long)
	document(b, "AlertPolicy", id)
	fmt.Fprintf(b, "  alertWhenBreaching: true\n  conditions:\n    - conditionRef: %s\n", id)
	document(b, "AlertCondition", id)
	fmt.Fprintf(b, "  severity: %s\n  condition:\n    kind: burnrate\n    op: gt\n", severity)
	fmt.Fprintf(b, "    threshold: %s\n    lookbackWindow: %s\n    alertAfter: 0m\n", number(o.Factor(p)),
		Window(p.Long))
}

// losses are what OpenSLO has no words for.
func (o objective) losses() (all []string) {
	add := func(format string, args ...any) { all = append(all, o.Name+": "+fmt.Sprintf(format, args...)) }
	if len(o.Alerts) > 0 {
		add("an alert policy has one condition, so the short window of each alert is left out; " +
			"seakeep export prometheus has it")
		add("min-events %d and min-errors %d are left out", o.Guard.Events, o.Guard.Bad)
	}
	if o.Latency > 0 || o.Freshness > 0 {
		add("latency and freshness are in what the counters count, and not in the documents")
	}
	if len(o.Maintenance) > 0 {
		add("%d times of maintenance are left out", len(o.Maintenance))
	}
	if len(o.Policy.Steps) > 0 {
		add("the policy of its budget is left out")
	}
	return all
}
