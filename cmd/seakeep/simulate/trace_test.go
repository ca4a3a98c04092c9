package simulate

import (
	"errors"
	"strings"
	"testing"
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
