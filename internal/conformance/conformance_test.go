package conformance

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
)

var update = flag.Bool("update", false, "rewrite the decisions in the scripts with the simulator's")

// scripts reads testdata.
func scripts(t *testing.T) []*Script {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var out []*Script
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(file, string(text))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := "(nothing)", "(nothing)"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Fatalf("decision %d:\n got  %s\n want %s", i+1, g, w)
		}
	}
}

func TestSimulator(t *testing.T) {
	for _, s := range scripts(t) {
		t.Run(filepath.Base(s.Name), func(t *testing.T) {
			got := Log(simulate(t, s), 0)
			if *update {
				rewrite(t, s, got)
				return
			}
			same(t, got, s.Want)
		})
	}
}

func TestLibrary(t *testing.T) {
	for _, s := range scripts(t) {
		t.Run(filepath.Base(s.Name), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				events, start := library(t, s)
				same(t, Log(events, start), s.Want)
			})
		})
	}
}

func rewrite(t *testing.T, s *Script, got []string) {
	text, err := os.ReadFile(s.Name)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.SplitN(string(text), "---\n", 3)
	parts[2] = strings.Join(got, "\n") + "\n"
	if err := os.WriteFile(s.Name, []byte(strings.Join(parts, "---\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// simulate runs a script in virtual time.
func simulate(t *testing.T, s *Script) []core.Event {
	dep := s.Policy.Dependencies[0].Name
	sc := &config.Scenario{For: s.End(),
		Clients: []*config.Client{{Name: "client", To: "caller", Times: s.Arrives}},
		Services: []*config.Service{
			{Name: "caller", Policy: s.Policy, Instances: 1, Routes: []*config.Route{{Name: "default",
				Calls: []config.Step{{Dependency: dep, To: "server"}}}}},
			{Name: "server", Instances: 1, Routes: []*config.Route{{Name: "default"}}}}}
	var events []core.Event
	_, err := sim.Run(sc, sim.Options{
		Trace: func(e core.Event) {
			if strings.HasPrefix(e.Policy, "caller") {
				events = append(events, e)
			}
		},
		Answer: func(service string, request uint64, attempt int) (time.Duration, core.Result, bool) {
			if service != "server" {
				return 0, core.Result{}, false
			}
			a := s.Answer(int(request)-1, attempt)
			if a.Status == 0 {
				return 24 * time.Hour, core.Result{}, true
			}
			return a.After, a.Result(), true
		}})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// diary keeps events in order.
type diary struct {
	mu     sync.Mutex
	events []core.Event
}

func (d *diary) Observe(e core.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
}

var errAnswer = errors.New("answered with a failure")

// library runs a script through Do, with goroutines in fake time.
func library(t *testing.T, s *Script) ([]core.Event, core.Instant) {
	d := &diary{}
	results := map[error]core.Result{}
	var mu sync.Mutex
	set, err := seakeep.NewSet(s.Policy, seakeep.Options{Observer: d,
		Classify: func(err error) core.Result {
			mu.Lock()
			defer mu.Unlock()
			return results[err]
		}})
	if err != nil {
		t.Fatal(err)
	}
	p := set.MustPolicy(s.Policy.Dependencies[0].Name)
	start := seakeep.Now()
	var wg sync.WaitGroup
	for i, at := range s.Arrives {
		wg.Go(func() {
			time.Sleep(at)
			ctx := seakeep.With(context.Background(), seakeep.Call{Idempotent: true})
			attempt := 0
			_, _ = seakeep.Do(ctx, p, func(ctx context.Context) (int, error) {
				a := s.Answer(i, attempt)
				attempt++
				if a.Status == 0 {
					<-ctx.Done()
					return 0, ctx.Err()
				}
				select {
				case <-time.After(a.After):
				case <-ctx.Done():
					return 0, ctx.Err()
				}
				if a.Status < 400 {
					return 1, nil
				}
				mu.Lock()
				defer mu.Unlock()
				err := &failure{errAnswer}
				results[err] = a.Result()
				return 0, err
			})
		})
	}
	wg.Wait()
	return d.events, start
}

// failure is an error of its own for each attempt.
type failure struct{ error }
