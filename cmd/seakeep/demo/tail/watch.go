package tail

import (
	"strings"
	"sync"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
)

// Ejection is a time that a replica was out.
type Ejection struct {
	Replica int     `json:"replica"` // from 1 on
	FromS   float64 `json:"from_s"`  // since the run began to count; negative: before
	ForS    float64 `json:"for_s"`   // of the run
	Rule    string  `json:"rule"`
}

// watcher writes down who is ejected.
type watcher struct {
	clock *live.Clock

	mu       sync.Mutex
	replicas map[string]int // by URL
	out      map[int]spell
	over     []spell
}

// spell is one time out.
type spell struct {
	replica     int
	from, until time.Duration
	rule        string
}

func newWatcher(c *live.Clock) *watcher { return &watcher{clock: c, out: map[int]spell{}} }

// know tells the watcher where the replicas are.
func (w *watcher) know(urls []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.replicas = map[string]int{}
	for i, u := range urls {
		w.replicas[u] = i + 1
	}
}

// Observe implements core.Observer.
func (w *watcher) Observe(e core.Event) {
	if e.Kind != core.EndpointChanged || e.Observed {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	i := w.replicas[e.Key]
	s, was := w.out[i]
	is := strings.Contains(e.To, balance.Ejected.String())
	switch at := w.clock.Since(e.At); {
	case i == 0 || is == was:
	case is:
		w.out[i] = spell{replica: i, from: at, rule: e.Detail}
	default:
		delete(w.out, i)
		s.until = at
		w.over = append(w.over, s)
	}
}

// ejections returns who was out, in order, with the run counted from one time
// on until another.
func (w *watcher) ejections(from, until time.Duration) []Ejection {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := append([]spell(nil), w.over...)
	for i := 1; i <= len(w.replicas); i++ {
		if s, out := w.out[i]; out {
			s.until = until
			all = append(all, s)
		}
	}
	list := []Ejection{}
	for _, s := range all {
		if s.until > s.from {
			list = append(list, Ejection{s.replica, live.Round((s.from - from).Seconds(), 1),
				live.Round((s.until - s.from).Seconds(), 1), s.rule})
		}
	}
	return list
}
