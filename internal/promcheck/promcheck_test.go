package promcheck

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/util/teststorage"

	"github.com/seakeep/seakeep/cmd/seakeep/alerts"
	"github.com/seakeep/seakeep/cmd/seakeep/promrules"
	"github.com/seakeep/seakeep/config"
)

var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// both are the two engines over the same series.
type both struct {
	t      *testing.T
	series promrules.Series
	player *promrules.Player
	store  *teststorage.TestStorage
	groups []*rules.Group
}

func newBoth(t *testing.T, text string) *both {
	t.Helper()
	b := &both{t: t, store: teststorage.New(t)}
	parsed, err := promrules.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	b.player = promrules.NewPlayer(parsed, &b.series)
	t.Cleanup(func() { _ = b.player.Close() })
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 50_000_000, Timeout: time.Minute,
		LookbackDelta: 5 * time.Minute, EnableAtModifier: true, EnableNegativeOffset: true,
		Parser: parser.NewParser(parser.Options{})})
	t.Cleanup(func() { _ = engine.Close() })
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m := rules.NewManager(&rules.ManagerOptions{Context: t.Context(), AppendableV2: b.store,
		Queryable: b.store, QueryFunc: rules.EngineQueryFunc(engine, b.store), Parser: parser.NewParser(parser.Options{}),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {},
		Logger:     slog.New(slog.NewTextHandler(io.Discard, nil))})
	groups, errs := m.LoadGroups(30*time.Second, labels.EmptyLabels(), "", nil, false, file)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, g := range groups {
		b.groups = append(b.groups, g)
	}
	slices.SortFunc(b.groups, func(x, y *rules.Group) int { // the rules of counts come first
		return order(text, x.Name()) - order(text, y.Name())
	})
	return b
}

func order(text, name string) int {
	for i := 0; i+len(name) <= len(text); i++ {
		if text[i:i+len(name)] == name {
			return i
		}
	}
	return -1
}

// add gives both a value.
func (b *both) add(name string, with map[string]string, at time.Time, v float64) {
	b.t.Helper()
	b.series.Add(name, with, at, v)
	l := labels.NewBuilder(labels.FromMap(with)).Set(model.MetricNameLabel, name).Labels()
	app := b.store.Appender(b.t.Context())
	if _, err := app.Append(0, l, at.UnixMilli(), v); err != nil {
		b.t.Fatal(err)
	}
	if err := app.Commit(); err != nil {
		b.t.Fatal(err)
	}
}

// eval evaluates both and returns what fires in each.
func (b *both) eval(at time.Time) (ours, theirs []string) {
	b.t.Helper()
	if _, err := b.player.Eval(at); err != nil {
		b.t.Fatal(err)
	}
	for _, f := range b.player.Firing() {
		ours = append(ours, named(f.Alert, f.Labels))
	}
	for _, g := range b.groups {
		if at.UnixNano()%int64(g.Interval()) != 0 {
			continue
		}
		g.Eval(b.t.Context(), at)
	}
	for _, g := range b.groups {
		for _, r := range g.Rules() {
			if r.LastError() != nil {
				b.t.Fatalf("%s: %v", r.Name(), r.LastError())
			}
			if a, ok := r.(*rules.AlertingRule); ok {
				for _, one := range a.ActiveAlerts() {
					if one.State == rules.StateFiring {
						with := one.Labels.Map()
						delete(with, labels.AlertName)
						theirs = append(theirs, named(a.Name(), with))
					}
				}
			}
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	return ours, theirs
}

func named(alert string, with map[string]string) string {
	delete(with, "service")
	return fmt.Sprint(alert, " ", with)
}

const policies = `
version: 1
service: shop
serve: {}
dependencies: {pricing: {}}
slo:
  - {name: checkout, objective: 99.9%}
  - {name: month, objective: 99.95%, window: {calendar: month}}
`

// Every alert fires and clears in both at the same evaluation: those of
// objectives, and the ones with "for" and "keep_firing_for", among them one whose
// series come and go.
func TestSameTimes(t *testing.T) {
	file, err := config.Parse("f", []byte(policies))
	if err != nil {
		t.Fatal(err)
	}
	b := newBoth(t, alerts.Rules(file, alerts.Options{SlothNames: true}).String())
	const history = 75 * time.Hour
	w := &world{both: b, events: map[string]float64{}, bad: map[string]float64{}}
	changes := 0
	var last []string
	for at := -history; at < 0; at += time.Minute {
		w.scrape(at, 60, 0, true)
	}
	for at := time.Duration(0); at <= 50*time.Minute; at += 15 * time.Second {
		share, there := 0.0, true
		switch m := at.Minutes(); {
		case m < 5:
			share = 1
		case m > 15 && m < 35:
			share = 0.03
		}
		if m := at.Minutes(); m > 20 && m < 23 || m > 30 && m < 31 {
			there = false
		}
		w.scrape(at, 15, share, there)
		if at%(30*time.Second) != 0 {
			continue
		}
		ours, theirs := b.eval(begin.Add(at))
		if !slices.Equal(ours, theirs) {
			t.Fatalf("after %v\nours   %v\ntheirs %v", at, ours, theirs)
		}
		if !slices.Equal(ours, last) {
			changes++
			t.Log(at, ours)
		}
		last = ours
	}
	if changes < 8 {
		t.Errorf("only %d changes were compared", changes)
	}
}

// world is what both see.
type world struct {
	*both
	events, bad map[string]float64
	retries     float64
}

// scrape adds what counters and gauges show at a time; there is whether the second
// pod and the gauges are.
func (w *world) scrape(at time.Duration, step, share float64, there bool) {
	now := begin.Add(at)
	for _, pod := range []string{"a", "b"} {
		if pod == "b" && !there {
			continue
		}
		for _, slo := range []string{"checkout", "month"} {
			if at > 0 && at%(11*time.Minute) == 0 { // a restart
				w.events[slo+pod], w.bad[slo+pod] = 0, 0
			}
			w.events[slo+pod] += 10 * step
			w.bad[slo+pod] += 10 * step * share
			with := map[string]string{"slo": slo, "instance": pod}
			w.add(alerts.EventsMetric, with, now, w.events[slo+pod])
			w.add(alerts.BadMetric, with, now, w.bad[slo+pod])
		}
	}
	w.retries += 100 * step * share
	with := map[string]string{"dependency": "pricing", "instance": "a", "outcome": "failure"}
	w.add("seakeep_attempts_total", merged(with, "kind", "first"), now, 10*at.Seconds()+1e7)
	w.add("seakeep_attempts_total", merged(with, "kind", "retry"), now, w.retries)
	if there { // a gauge that comes and goes
		with := map[string]string{"dependency": "pricing", "instance": "a"}
		w.add("seakeep_bulkhead_in_flight", with, now, 60*share)
		w.add("seakeep_bulkhead_limit", with, now, 40)
	}
}

func merged(with map[string]string, key, value string) map[string]string {
	out := map[string]string{key: value}
	for k, v := range with {
		out[k] = v
	}
	return out
}
