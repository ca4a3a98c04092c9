package lab

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/cmd/seakeep/simulate"
	"github.com/seakeep/seakeep/internal/race"
)

// The engine tells the events that the command line does, as far as somebody looks
// at them.
func TestEvents(t *testing.T) {
	race.OneGoroutine(t)
	w := shipped(t, "checkout-cascade.yaml", "checkout-breaker.yaml", "for=15s", "warmup=0s")
	s, err := w.parse()
	if err != nil {
		t.Fatal(err)
	}
	var trace bytes.Buffer
	if err := simulate.WriteTraceJSON(&trace, s); err != nil {
		t.Fatal(err)
	}
	all := map[uint64]schema.Event{}
	for lines := json.NewDecoder(&trace); ; {
		var e schema.Event
		if err := lines.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all[e.ID] = e
	}
	var l Lab
	changes := ask(t, &l, Question{Op: "events", World: w})
	calls := ask(t, &l, Question{Op: "events", World: w, Calls: true, Most: 1 << 20})
	if len(changes.Events) == 0 || len(calls.Events) < 100 || changes.Missed+calls.Missed != 0 {
		t.Fatalf("%d changes, %d with calls", len(changes.Events), len(calls.Events))
	}
	opened := false
	for _, e := range append(changes.Events, calls.Events...) {
		if want := all[e.ID]; e.Kind != want.Kind || e.AtMS != want.AtMS || e.Policy != want.Policy {
			t.Fatalf("%+v, want %+v", e, want)
		}
		opened = opened || e.Kind == "breaker-changed" && e.To == "open" && strings.Contains(e.Policy, "recommendations")
	}
	if !opened {
		t.Error("no breaker opens")
	}
	few := ask(t, &l, Question{Op: "events", World: w, Calls: true, Most: 3})
	if len(few.Events) != 3 || few.Missed != len(calls.Events)-3 {
		t.Errorf("%d events, %d missed", len(few.Events), few.Missed)
	}
}
