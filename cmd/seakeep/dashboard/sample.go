package dashboard

// field is a number that is kept of a dependency or of the door. The order is
// that of the file of history: new ones go to the end.
type field uint8

const (
	fSuccess field = iota // calls that ended
	fFailure
	fTimeout
	fOverloaded
	fCancelled
	fIgnored
	fRejected
	fFirst // attempts
	fRetry
	fHedge
	fHedgeWins
	fBudgetDenied
	fFallback
	fNoFallback
	fDead // deadlines
	fBefore
	fAttempt
	fRetryLate
	fCaller
	fOpen // refusals
	fFull
	fThrottled
	fNoTime
	fOtherRefusal
	gInFlight // states
	gSlots
	gLimit
	gQueued
	gQueueLimit
	gBudget
	gBreaker // 1 closed, 2 half-open, 3 open; 0: there is none
	gForced
	gEndpoints
	gUp
	gEjected
	fOffered  // of the door, by class
	fAdmitted = fOffered + 4
	fShed     = fAdmitted + 4
	fLeft     = fShed + 4
	fInTime   = fLeft + 4
	fArrival  = fInTime + 4 // deadlines at the door
	fWaiting  = fArrival + 1
	fWork     = fArrival + 2
	gDegrade  = fArrival + 3
	gAdmitted = fArrival + 4 // of the demand, in thousandths
	gWaiting  = fArrival + 5 // of the queue, by class
	fields    = fArrival + 9 // how many there are: 64 at most, see encode
)

// isState reports whether a number is a state at one moment, and not a count.
func (f field) isState() bool {
	return f >= gInFlight && f <= gEjected || f == gDegrade || f == gAdmitted || f >= gWaiting
}

// isWorst reports whether the worst of a state is what a longer time shows, and
// not the last: of what comes and goes within it.
func (f field) isWorst() bool {
	switch f {
	case gInFlight, gSlots, gQueued, gBreaker, gForced, gEjected, gDegrade:
		return true
	}
	return f >= gWaiting
}

// bin is a bucket of a histogram with its count; see window.Quantiles.Each.
type bin struct {
	at int
	n  uint64
}

// sample is what is known of a dependency, or of the door, over some time.
type sample struct {
	n          [fields]uint64
	took, left []bin // by rising buckets
}

// add adds the time that follows.
func (s *sample) add(next *sample) {
	for i := range s.n {
		switch f := field(i); {
		case !f.isState():
			s.n[i] += next.n[i]
		case f.isWorst():
			s.n[i] = max(s.n[i], next.n[i])
		default:
			s.n[i] = next.n[i]
		}
	}
	s.took, s.left = merged(s.took, next.took), merged(s.left, next.left)
}

func merged(a, b []bin) []bin {
	if len(a) == 0 || len(b) == 0 {
		return append(append([]bin(nil), a...), b...)
	}
	sum := make([]bin, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].at < b[0].at:
			sum, a = append(sum, a[0]), a[1:]
		case a[0].at > b[0].at:
			sum, b = append(sum, b[0]), b[1:]
		default:
			sum = append(sum, bin{a[0].at, a[0].n + b[0].n})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(sum, a...), b...)
}

// calls are those that ended, the refused ones included.
func (s *sample) calls() (n uint64) {
	for f := fSuccess; f <= fRejected; f++ {
		n += s.n[f]
	}
	return n
}

// telling are the calls that say something of the dependency.
func (s *sample) telling() uint64 { return s.calls() - s.n[fCancelled] - s.n[fIgnored] }

// share is nil without data.
func share(some, all uint64) *float64 {
	if all == 0 {
		return nil
	}
	v := min(float64(some)/float64(all), 1)
	return &v
}
