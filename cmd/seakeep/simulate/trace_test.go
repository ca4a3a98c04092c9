package simulate

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

func TestTraceGolden(t *testing.T) {
	q := question(t, "for", "4300ms", "warmup", "0s", "clients.users.rate", "0/s",
		"changes", "[{at: 4s, service: recommendations, work: 1s}, {at: 4s, client: users, rate: 100/s}]")
	var b strings.Builder
	if err := WriteTrace(&b, q.Scenario); err != nil {
		t.Fatal(err)
	}
	golden(t, "shop.trace", b.String())
}

// Whatever is in them, columns begin at the same place in every line.
func TestTraceColumns(t *testing.T) {
	var b strings.Builder
	if err := WriteTrace(&b, question(t).Scenario); err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(all) < 5000 {
		t.Fatalf("%d lines", len(all))
	}
	var edges []int // where the columns begin
	for i := 1; i < len(all[0]); i++ {
		if all[0][i] != ' ' && all[0][i-1] == ' ' && i > 14 && !strings.HasSuffix(all[0][:i+4], "took") {
			edges = append(edges, i)
		}
	}
	if len(edges) != 7 {
		t.Fatalf("columns begin at %v", edges)
	}
	kinds := map[string]bool{}
	for _, line := range all {
		for _, i := range edges {
			if len(line) <= i || line[i] == ' ' || line[i-1] != ' ' {
				t.Fatalf("column %d does not begin there: %s", i, line)
			}
		}
		kinds[strings.Fields(line)[2]] = true
	}
	for _, kind := range []string{"call-started", "attempt-ended", "retry-scheduled", "retry-denied",
		"breaker-changed", "call-rejected", "call-ended"} {
		if !kinds[kind] {
			t.Errorf("no line about %s", kind)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestTraceTellsOfFailure(t *testing.T) {
	if err := WriteTrace(broken{}, question(t).Scenario); err == nil || err.Error() != "no room" {
		t.Errorf("%v", err)
	}
}

// The same decisions, in the form of the dashboard's events.
func TestTraceJSON(t *testing.T) {
	q := question(t, "for", "5s", "warmup", "0s")
	var text, lines strings.Builder
	if err := errors.Join(WriteTrace(&text, q.Scenario), WriteTraceJSON(&lines, q.Scenario)); err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(text.String()), "\n")[1:]
	decoder := json.NewDecoder(strings.NewReader(lines.String()))
	decoder.DisallowUnknownFields()
	for i, line := range want {
		var e schema.Event
		if err := decoder.Decode(&e); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		f := strings.Fields(line)
		at, err := strconv.ParseFloat(f[0], 64)
		if err != nil || e.ID != uint64(i+1) || math.Abs(e.AtMS-1000*at) > 0.001 || e.Policy != f[1] ||
			e.Kind != f[2] || strconv.Itoa(e.Attempt) != f[3] || e.Outcome != "" && e.Outcome != f[4] {
			t.Fatalf("line %d is %+v, want %s", i+1, e, line)
		}
	}
	if decoder.More() {
		t.Error("there are more lines than decisions")
	}
	if err := WriteTraceJSON(broken{}, q.Scenario); err == nil || err.Error() != "no room" {
		t.Errorf("%v", err)
	}
}
