package conformance

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/seakeeptest"
)

// Scripts reads the scripts of a folder.
func Scripts(t *testing.T, folder string) []*Script {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s: %v", folder, err)
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

// Backend is the dependency of a script as an HTTP server in memory. Call
// number n asks for Path(n).
func (s *Script) Backend(t *testing.T) *seakeeptest.Backend {
	b := seakeeptest.NewMemoryBackend(t)
	for n, list := range s.Answers {
		var script []seakeeptest.Answer
		for _, a := range list {
			script = append(script, a.overHTTP())
		}
		b.On(Path(n), script...)
	}
	return b
}

// Path is what call number n asks for.
func Path(n int) string { return "/" + strconv.Itoa(n) }

func (a Answer) overHTTP() seakeeptest.Answer {
	if a.Status == 0 {
		return seakeeptest.Answer{Fault: seakeeptest.Silent}
	}
	over := seakeeptest.Answer{After: a.After, Status: a.Status, Body: "answer"}
	if a.Retry > 0 {
		seconds := strconv.Itoa(int(a.Retry / time.Second))
		over.Header = map[string]string{"Retry-After": seconds}
	}
	return over
}

// Play makes the calls of a script, each at its time and on a goroutine of its
// own, and returns when all are over.
func (s *Script) Play(call func(n int)) {
	var wg sync.WaitGroup
	for n, at := range s.Arrives {
		wg.Go(func() {
			time.Sleep(at)
			call(n)
		})
	}
	wg.Wait()
}

// Diary keeps events in order.
type Diary struct {
	mu     sync.Mutex
	events []core.Event
}

// Observe implements core.Observer.
func (d *Diary) Observe(e core.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
}

// Events returns what was observed.
func (d *Diary) Events() []core.Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.events
}

// Same ends the test at the first line that differs.
func Same(t *testing.T, got, want []string) {
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
