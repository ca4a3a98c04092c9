package budget

import (
	"sync"
	"sync/atomic"

	"github.com/seakeep/seakeep/core"
)

// Budget decides whether a retry may be made. It is safe for use by many
// goroutines. Make one with New.
//
// Each call does Deposit once and Close once. Each retry does Withdraw, and if
// that is granted, either Refund or Report with wasRetry, once.
type Budget struct {
	kind atomic.Uint32 // of m, so that Report need not lock when it has nothing to say
	mu   sync.Mutex
	last core.Instant // the latest time told, because the machine's never goes back
	m    machine
}

// New returns a budget that follows c. The kind Ratio starts with the floor's
// allowance and nothing earned, Tokens starts full.
func New(c Config) (*Budget, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	b := &Budget{last: longAgo, m: newMachine(c)}
	b.kind.Store(uint32(c.Kind))
	return b, nil
}

// Deposit says that a call starts, with its first attempt.
func (b *Budget) Deposit(now core.Instant) {
	b.mu.Lock()
	b.m.deposit(b.clamp(now))
	b.mu.Unlock()
}

// Withdraw asks for one retry and reports whether it is granted. Ask before
// waiting for the retry's time.
func (b *Budget) Withdraw(now core.Instant) bool {
	b.mu.Lock()
	ok := b.m.withdraw(b.clamp(now))
	b.mu.Unlock()
	return ok
}

// Refund gives back a retry that was granted and never sent, because its call
// ended before. A refund that comes more than a Window after its Withdraw
// frees one retry of the window instead. It panics if no retry is under way.
func (b *Budget) Refund(now core.Instant) {
	b.mu.Lock()
	ok := b.m.refund(b.clamp(now))
	b.mu.Unlock()
	if !ok {
		panic("budget: Refund without a granted Withdraw")
	}
}

// Report says that an attempt ended as o; wasRetry says that it was one that
// Withdraw granted. For a failure that would not be tried again whatever the
// budget says, pass core.Ignored: gRPC counts only failures that would be. It
// panics if wasRetry is set and no retry is under way.
func (b *Budget) Report(now core.Instant, o core.Outcome, wasRetry bool) {
	if !wasRetry && (Kind(b.kind.Load()) != Tokens || o.Neutral()) {
		return
	}
	b.mu.Lock()
	b.clamp(now)
	ok := b.m.report(o, wasRetry)
	b.mu.Unlock()
	if !ok {
		panic("budget: Report of a retry without a granted Withdraw")
	}
}

// Close says that a call is over, with its last attempt and without a wait to
// come. It panics if no call is under way.
func (b *Budget) Close(now core.Instant) {
	b.mu.Lock()
	b.clamp(now)
	ok := b.m.close()
	b.mu.Unlock()
	if !ok {
		panic("budget: Close without Deposit")
	}
}

// Reconfigure changes the budget's numbers while it is in use and keeps its
// level: tokens are scaled to the new maximum, calls and retries of the window
// are judged by the new numbers. It changes nothing if c is not valid.
func (b *Budget) Reconfigure(now core.Instant, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	b.mu.Lock()
	b.m.reconfigure(b.clamp(now), c)
	b.kind.Store(uint32(c.Kind))
	b.mu.Unlock()
	return nil
}

// Snapshot is a budget at one moment.
type Snapshot struct {
	Kind      Kind
	Available int     // retries that would be granted now, one after another
	Tokens    float64 // kind Tokens: how many are left
	Active    int     // calls between Deposit and Close
	Retrying  int     // retries between Withdraw and their Report or Refund

	// Since the budget was made: calls, retries granted, granted but not
	// sent, and refused.
	Deposits, Withdrawn, Refunded, Denied uint64
}

// Snapshot returns the budget as it is at now.
func (b *Budget) Snapshot(now core.Instant) Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	now = b.clamp(now)
	return Snapshot{
		Kind:      b.m.kind,
		Available: int(b.m.available(now)),
		Tokens:    float64(b.m.tokensMilli) / 1000,
		Active:    int(b.m.active),
		Retrying:  int(b.m.retrying),
		Deposits:  b.m.total.deposits,
		Withdrawn: b.m.total.withdrawn,
		Refunded:  b.m.total.refunded,
		Denied:    b.m.total.denied,
	}
}

// clamp returns the latest time told so far: two goroutines may read the clock
// in one order and take the lock in the other.
func (b *Budget) clamp(now core.Instant) core.Instant {
	b.last = max(b.last, now)
	return b.last
}
