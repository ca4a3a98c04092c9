package dashboard

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/core"
)

const (
	keptChanges    = 4096 // events that change a state, and orders
	keptCalls      = 2048 // events about single calls
	callsPerSecond = 20   // of each kind, at most
	maxSubscribers = 64
	maxBehind      = 512 // events that a subscriber may be behind
)

// hub keeps the latest events and tells them to whoever listens.
type hub struct {
	samplers [64]callSampler

	mu      sync.Mutex
	started uint64 // the first ID of this process
	next    uint64
	changes ring[*told]
	calls   ring[*told]
	saves   bool    // there is a file
	unsaved []*told // changes that are not in it yet
	subs    map[*subscriber]struct{}
}

// told is an event as it is told.
type told struct {
	schema.Event
	text   []byte
	change bool
}

// subscriber is one stream.
type subscriber struct {
	events chan *told
	missed atomic.Uint64 // that its buffer had no room for
	calls  bool          // it wants those about single calls too
}

// callSampler lets a few events of a kind pass each second.
type callSampler struct {
	second, n atomic.Int64
}

func (s *callSampler) pass(second int64) bool {
	if old := s.second.Load(); old != second && s.second.CompareAndSwap(old, second) {
		s.n.Store(0)
	}
	return s.n.Add(1) <= callsPerSecond
}

// newHub numbers events from the moment on, in microseconds, so that numbers rise
// over restarts too, and a browser can count with them.
func newHub(now time.Time) *hub {
	id := uint64(now.UnixMicro())
	return &hub{started: id, next: id, subs: map[*subscriber]struct{}{},
		changes: newRing[*told](keptChanges), calls: newRing[*told](keptCalls)}
}

func (h *hub) observe(e *core.Event, m *meters) {
	about := schema.AboutOf(e)
	if about == schema.OfNothing {
		return
	}
	at := seakeep.TimeOf(e.At)
	if e.At == 0 {
		at = time.Now()
	}
	if about == schema.OfCall && !h.samplers[int(e.Kind)%len(h.samplers)].pass(at.Unix()) {
		return
	}
	v := schema.EventOf(e, unixMS(at))
	if e.Kind == core.BreakerChanged && e.Reason != core.Operator {
		if one := m.get(e.Policy); one != nil && e.From != "open" {
			own := strings.Contains(e.Policy, "/") // the breaker of one operation, which counts no others
			for _, c := range one.causes() {
				if e.At.Sub(c.At) <= time.Minute && (!own || c.Policy == e.Policy) {
					v.Calls = append(v.Calls, schema.EventOf(&c, unixMS(seakeep.TimeOf(c.At))))
				}
			}
		}
	}
	h.tell(v, about == schema.OfState)
}

// tell numbers an event, keeps it, and gives it to whoever listens.
func (h *hub) tell(v schema.Event, change bool) schema.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	v.ID = h.next
	h.next++
	t := &told{Event: v, change: change}
	t.text, _ = json.Marshal(v) // strings and numbers that are finite: it cannot fail
	if change {
		h.changes.push(t)
		if h.saves && len(h.unsaved) < keptChanges { // more are there only if something is broken
			h.unsaved = append(h.unsaved, t)
		}
	} else {
		h.calls.push(t)
	}
	for s := range h.subs {
		if !change && !s.calls {
			continue
		}
		select {
		case s.events <- t:
		default:
			s.missed.Add(1)
		}
	}
	return v
}

// restore puts an event of an earlier process back.
func (h *hub) restore(v schema.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &told{Event: v, change: true}
	t.text, _ = json.Marshal(v)
	h.changes.push(t)
	if v.ID >= h.next {
		h.next, h.started = v.ID+1, v.ID+1
	}
}

// toSave returns changes that are not in the file yet.
func (h *hub) toSave() []*told {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.unsaved
	h.unsaved = nil
	return all
}

// notSaved takes back what could not be saved, to try again.
func (h *hub) notSaved(changes []*told) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unsaved = append(changes, h.unsaved...)
	h.unsaved = h.unsaved[max(len(h.unsaved)-keptChanges, 0):]
}

// subscribe begins a stream after an event, 0 for those from now on. It returns
// what came since, and how many of those are kept no more. It is nil if there are
// too many already.
func (h *hub) subscribe(after uint64, calls bool) (s *subscriber, replay []*told, missed uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.subs) >= maxSubscribers {
		return nil, nil, 0
	}
	s = &subscriber{events: make(chan *told, maxBehind), calls: calls}
	h.subs[s] = struct{}{}
	if after == 0 || after >= h.next {
		return s, nil, 0
	}
	replay = h.after(after, calls)
	// Those of this process are numbered without gaps.
	if calls && after+1 >= h.started {
		missed = h.next - 1 - after - uint64(len(replay))
	}
	return s, replay, missed
}

// after returns what is kept of events after one, by their numbers.
func (h *hub) after(id uint64, calls bool) (all []*told) {
	take := func(t *told) {
		if t.ID > id {
			all = append(all, t)
		}
	}
	h.changes.each(take)
	if calls {
		h.calls.each(take)
	}
	slices.SortFunc(all, func(a, b *told) int { return int(int64(a.ID) - int64(b.ID)) })
	return all
}

func (h *hub) unsubscribe(s *subscriber) {
	h.mu.Lock()
	delete(h.subs, s)
	h.mu.Unlock()
}

// between returns the changes of a time, of one policy and its operations if it
// is named, the oldest first.
func (h *hub) between(fromMS, toMS float64, policy string) []schema.Event {
	all := []schema.Event{}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changes.each(func(t *told) {
		if t.AtMS < fromMS || t.AtMS > toMS {
			return
		}
		if name, _, _ := strings.Cut(t.Policy, "/"); policy == "" || name == policy {
			all = append(all, t.Event)
		}
	})
	return all
}

func unixMS(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }
