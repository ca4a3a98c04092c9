package alerts

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/promrules"
	"github.com/seakeep/seakeep/internal/promtest"
)

// A real Prometheus loads the rules, evaluates each without an error and shows them
// at /api/v1/rules. They are evaluated more often than they are made for.
func TestPrometheusLoadsRules(t *testing.T) {
	text := Rules(parse(t, shop), manyOptions["matched"]).String()
	rules, err := promrules.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	often := strings.NewReplacer("interval: 30s", "interval: 1s", "interval: 5m", "interval: 1s").Replace(text)
	s := promtest.Start(t, "127.0.0.1:9", often) // nobody is there
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		all, _ := s.Rules()
		ok, names := 0, []string(nil)
		for _, r := range all {
			names = append(names, r.Name)
			switch r.Health {
			case "ok":
				ok++
			case "err":
				t.Fatalf("%s: %s", r.Name, r.Error)
			}
		}
		if ok > 0 && ok == len(all) {
			want := append(rules.Alerts(), rules.Records()...)
			slices.Sort(want)
			if slices.Sort(names); !slices.Equal(names, want) {
				t.Errorf("it shows %v, want %v", names, want)
			}
			return
		}
		if time.Now().After(until) {
			t.Fatalf("after half a minute %d of %d are evaluated", ok, len(all))
		}
	}
}
