package conformance

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
)

var update = flag.Bool("update", false, "rewrite the decisions in the scripts with the simulator's")

func TestSimulator(t *testing.T) {
	for _, s := range Scripts(t, "testdata") {
		t.Run(filepath.Base(s.Name), func(t *testing.T) {
			got := Log(simulate(t, s), 0)
			if *update {
				rewrite(t, s, got)
				return
			}
			Same(t, got, s.Want)
		})
	}
}

func TestLibrary(t *testing.T) {
	for _, s := range Scripts(t, "testdata") {
		t.Run(filepath.Base(s.Name), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				events, start := library(t, s)
				Same(t, Instants(Log(events, start)), Instants(s.Want))
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
		Clients: []*config.Client{{Name: "client", To: "caller", Times: s.Arrives,
			Patience: s.Deadline}},
		Services: []*config.Service{
			{Name: "caller", Policy: s.Policy, Instances: 1, Routes: []*config.Route{{Name: "default",
				Calls: []config.Step{{Dependency: dep, To: "server"}}}}},
			{Name: "server", Instances: 1, Routes: []*config.Route{{Name: "default"}}}}}
	var events []core.Event
	_, err := sim.Run(sc, sim.Options{Draw: Half,
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

var errAnswer = errors.New("answered with a failure")

// library runs a script through Do, with goroutines in fake time.
func library(t *testing.T, s *Script) ([]core.Event, core.Instant) {
	d := &Diary{}
	results := map[error]core.Result{}
	var mu sync.Mutex
	set, err := seakeep.NewSet(s.Policy, seakeep.Options{Observer: d, Draw: Half,
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
	s.Play(func(n int) {
		ctx, cancel := s.context()
		defer cancel()
		ctx = seakeep.With(ctx, seakeep.Call{Idempotent: true})
		var attempts atomic.Int32 // of which two may be under way at once
		_, _ = seakeep.Do(ctx, p, func(ctx context.Context) (int, error) {
			a := s.Answer(n, int(attempts.Add(1))-1)
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
	return d.Events(), start
}

// failure is an error of its own for each attempt.
type failure struct{ error }

// context returns that of a caller who waits as long as the script says.
func (s *Script) context() (context.Context, context.CancelFunc) {
	if s.Deadline == 0 {
		return context.Background(), func() {}
	}
	return context.WithTimeout(context.Background(), s.Deadline)
}
