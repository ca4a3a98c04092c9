package overload

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
)

// outcomeOf is what a run could have come to: per class, offered and served of
// it in five seconds, all after the same time.
func outcomeOf(offered, ok [core.Criticalities]int, took time.Duration) *outcome {
	l := newLedger(core.Criticalities, 0, 5*time.Second)
	for kind, n := range offered {
		for i := range n {
			f := refused
			if i < ok[kind] {
				f = served
			} else if i%50 == 49 {
				f = lost
			}
			l.note(&guest{kind: kind}, ending{f, took})
		}
	}
	return &outcome{ledger: l, counted: 5 * time.Second, ran: 5 * time.Second, lateMS: 3.5}
}

// measuredReport is a report by hand: all well, then a guard that loses some of
// the best, then one that is slow and useless and gets its order wrong.
func measuredReport() *Report {
	o := Defaults()
	r := newReport(o)
	all := func(n int) [core.Criticalities]int { return [core.Criticalities]int{2 * n, 4 * n, 3 * n, n} }
	r.add(0.5, outcomeOf(all(50), all(50), 56*ms), outcomeOf(all(50), all(50), 58*ms))
	r.add(2, outcomeOf(all(200), all(0), 0),
		outcomeOf(all(200), [core.Criticalities]int{0, 200, 600, 198}, 110*ms))
	r.add(10, outcomeOf(all(1000), all(10), 900*ms),
		outcomeOf(all(1000), [core.Criticalities]int{0, 700, 0, 150}, 800*ms))
	return r
}

func TestReportAsText(t *testing.T) {
	var out strings.Builder
	r := measuredReport()
	r.judge()
	write := func() {
		out.WriteString(r.headline())
		for i := range r.Bare {
			out.WriteString(r.row(i))
		}
		if err := r.WriteText(&out); err != nil {
			t.Fatal(err)
		}
	}
	write()
	out.WriteString("\n=== stopped, on a busy machine, without a guard\n\n")
	r.Interrupted, r.Bare, r.Protected, r.Holds = true, r.Bare[:1], nil, []live.Hold{}
	r.Bare[0].LateMS, r.Bare[0].Skipped = 312, 3
	r.judge()
	write()
	narrow(t, out.String())
	golden(t, "overload.txt", out.String())
}

func TestReportAsJSON(t *testing.T) {
	var out bytes.Buffer
	r := measuredReport()
	r.Bare, r.Protected = r.Bare[1:2], r.Protected[1:2]
	r.judge()
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "overload.json", out.String())
}

// Lists are never null, so that a script can count them.
func TestEmptyReportsHaveAllKeys(t *testing.T) {
	var out bytes.Buffer
	for _, r := range []interface{ WriteJSON(w *bytes.Buffer) error }{
		writer{newReport(Options{Machine: DefaultMachine()})},
		writer{newMetastableReport(MetastableDefaults())},
		writer{newTenantReport(TenantDefaults())},
	} {
		out.Reset()
		if err := r.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		var keys map[string]any
		if err := json.Unmarshal(out.Bytes(), &keys); err != nil {
			t.Fatal(err)
		}
		for key, v := range keys {
			if v == nil {
				t.Errorf("%s is null", key)
			}
		}
	}
}

type writer struct{ v any }

func (w writer) WriteJSON(b *bytes.Buffer) error { return live.WriteJSON(b, w.v) }

func TestTenantReportAsText(t *testing.T) {
	r := newTenantReport(TenantDefaults())
	point := func(ok int, took time.Duration) *outcome {
		l := newLedger(neighbours+1, 0, 5*time.Second)
		for i := range 900 {
			e := ending{served, took}
			if i >= ok {
				e.fate = lost
			}
			l.note(&guest{kind: i % neighbours}, e)
		}
		for range 100 {
			l.note(&guest{kind: neighbours}, ending{refused, ms})
		}
		return &outcome{ledger: l, counted: 5 * time.Second}
	}
	var out strings.Builder
	out.WriteString(r.headline())
	for _, flooded := range []bool{false, true} {
		b, p := point(900, 40*ms), point(900, 42*ms)
		if flooded {
			b, p = point(500, 800*ms), point(898, 150*ms)
			b.lateMS = 150
		}
		r.add(flooded, b, p)
		out.WriteString(r.rows(flooded))
	}
	r.judge()
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	narrow(t, out.String())
	golden(t, "tenants.txt", out.String())
}

func TestMetastableReportAsText(t *testing.T) {
	o := MetastableDefaults()
	o.variants = o.variants[:2]
	o.variants[1].levers = []lever{{18 * time.Second, 0.05, 0},
		{20 * time.Second, 0.4, 10 * time.Second}, {40 * time.Second, 1, 0}}
	r := newMetastableReport(o)
	for i, line := range []string{"##########66....................", "##########6.........699#########"} {
		l := newLedger(1, 0, 60*time.Second)
		copy(l.seconds, secondsOf(line))
		r.add(o.variants[i], &outcome{ledger: l, ran: 32 * time.Second, tried: 7}, []float64{0.1})
	}
	if err := r.Predict(); err != nil {
		t.Fatal(err)
	}
	r.judge()
	var out strings.Builder
	out.WriteString(r.headline())
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	narrow(t, out.String())
	golden(t, "metastable.txt", out.String())
}
