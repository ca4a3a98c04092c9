package tail

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// What replicas are like. The shape of their times is that of models of hedging: a
// floor, and an exponential rest three times as long. They are long enough that a
// machine that is held up for a tenth of a second does not make the tail.
const (
	replicas = 20
	stalls   = 7  // this one stands still now and then
	slow     = 13 // and this one is always slow

	floor      = 10 * time.Millisecond
	mean       = 40 * time.Millisecond // the floor included
	slower     = 10                    // times
	stall      = time.Second
	stallShare = 0.01
)

// fleet is twenty replicas of a service. They wait and do not work, and any
// number of requests may be with each at once.
type fleet struct {
	seed  uint64
	clock *live.Clock
	// allSlow is from when on every replica is as slow as the slow one; 0: never.
	allSlow time.Duration

	mu  sync.Mutex
	got []uint8 // how often each request arrived, at whichever replica
}

// replica returns one of them, from 1 on.
func (f *fleet) replica(i int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || n < 0 || n >= maxRequests {
			http.Error(w, "there is no such request", http.StatusNotFound)
			return
		}
		f.arrived(n)
		if live.Pause(r.Context(), f.takes(n, i)) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte("done\n"))
		}
	})
}

func (f *fleet) arrived(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n >= len(f.got) {
		f.got = append(f.got, make([]uint8, 4096)...)
	}
	if f.got[n] < 255 {
		f.got[n]++
	}
}

// takes returns how long a replica has for a request. It is drawn anew for each
// two of them, and is the same in every run.
func (f *fleet) takes(n, i int) time.Duration {
	rng := rand.New(rand.NewPCG(f.seed, uint64(n)*replicas+uint64(i)))
	d := floor + time.Duration(rng.ExpFloat64()*float64(mean-floor))
	if i == slow || f.allSlow > 0 && f.clock.Now() >= f.allSlow {
		d *= slower
	}
	if i == stalls && rng.Float64() < stallShare {
		d += stall
	}
	return d
}

// extra returns the attempts beyond the first ones, as a share of those, for
// requests from one on and before another.
func (f *fleet) extra(from, to int) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	first, all := 0, 0
	for n := from; n < min(to, len(f.got)); n++ {
		if f.got[n] > 0 {
			first++
			all += int(f.got[n])
		}
	}
	if first == 0 {
		return 0
	}
	return float64(all-first) / float64(first)
}
