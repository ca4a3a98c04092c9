package dashboard

import (
	"sync"
	"time"
)

const (
	keepShort = 15 * time.Minute
	// mostBytes bounds what each of the two histories takes. With five
	// dependencies a day takes a tenth of it; what is beyond goes, the oldest
	// first.
	mostBytes = 64 << 20
)

// rings keep frames: each of the last quarter of an hour, and ten of them added
// up for longer.
type rings struct {
	short, long frames
	sum         *frame // the next one of long
	summed      int
}

// frames are those of one length, the oldest first.
type frames struct {
	mu        sync.Mutex
	all       []kept
	bytes     int
	keep      time.Duration
	mostBytes int
}

type kept struct {
	from, to time.Time
	text     []byte
}

func newRings(keep time.Duration) rings {
	return rings{short: frames{keep: min(keep, keepShort), mostBytes: mostBytes},
		long: frames{keep: keep, mostBytes: mostBytes}}
}

// add keeps a frame, and returns a long one when it is whole.
func (r *rings) add(f *frame) *kept {
	r.short.push(kept{f.from, f.to, f.encode()})
	if r.sum == nil {
		r.sum, r.summed = &frame{from: f.from, of: map[string]*sample{}}, 0
	}
	r.sum.add(f)
	if r.summed++; r.summed < coarse {
		return nil
	}
	whole := kept{r.sum.from, r.sum.to, r.sum.encode()}
	r.sum = nil
	r.long.push(whole)
	return &whole
}

// add adds the frame that follows.
func (f *frame) add(next *frame) {
	f.to = next.to
	for _, name := range next.names {
		s := f.of[name]
		if s == nil {
			s = &sample{}
			f.of[name], f.names = s, append(f.names, name)
		}
		s.add(next.of[name])
	}
	for reason, n := range next.refused {
		if f.refused == nil {
			f.refused = map[string]uint64{}
		}
		f.refused[reason] += n
	}
}

func (f *frames) push(k kept) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, k)
	f.bytes += len(k.text)
	gone := 0
	for gone < len(f.all)-1 && (f.bytes > f.mostBytes || k.to.Sub(f.all[gone].to) > f.keep) {
		f.bytes -= len(f.all[gone].text)
		f.all[gone].text = nil
		gone++
	}
	if gone > 0 {
		f.all = f.all[gone:]
	}
}

// within returns the frames that end in a time, and the beginning of the oldest.
func (f *frames) within(from, to time.Time) (all []kept, oldest time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range f.all {
		if k.to.After(from) && !k.to.After(to) {
			all = append(all, k)
		}
	}
	if len(f.all) > 0 {
		oldest = f.all[0].from
	}
	return all, oldest
}

// between returns frames of a time in their order: the short ones as far back as
// they reach, and before them the long ones.
func (r *rings) between(from, to time.Time) (all []kept, oldest time.Time) {
	short, oldestShort := r.short.within(from, to)
	long, oldest := r.long.within(from, to)
	if oldest.IsZero() || !oldestShort.IsZero() && oldestShort.Before(oldest) {
		oldest = oldestShort
	}
	if len(short) == 0 {
		return long, oldest
	}
	begin := short[0].from
	for _, k := range long {
		if k.from.Before(begin) {
			all = append(all, k)
		}
	}
	for _, k := range short { // none is told twice
		if len(all) == 0 || !k.from.Before(all[len(all)-1].to) {
			all = append(all, k)
		}
	}
	return all, oldest
}
