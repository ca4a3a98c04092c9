package deadline

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

// CallDeadline returns when a call that starts at now must be over: after
// Total, or Reserve before the caller's own deadline, whichever comes first.
// Pass core.Never for a caller that set none. The answer may lie in the past,
// which Check then reports, and is core.Never when nothing limits the call.
func (c Config) CallDeadline(now, caller core.Instant) core.Instant {
	end := core.Never
	if c.Total > 0 {
		end = now.Add(c.Total)
	}
	if caller == core.Never {
		return end
	}
	return min(end, caller.Add(-max(c.Reserve, 0)))
}

// AttemptDeadline returns when an attempt that starts at now must be over,
// given the deadline of its call.
func (c Config) AttemptDeadline(now, call core.Instant) core.Instant {
	if c.Request <= 0 {
		return call
	}
	return min(now.Add(c.Request), call)
}

// Check says whether work may start at now: DeadlineExceeded when nothing is
// left of the call's time, DeadlineTooShort when less is left than the
// operation usually Needs, NoReason otherwise. Ask before queueing, after
// queueing and before each attempt: time passes in between.
func (c Config) Check(now, call core.Instant) core.Reason {
	if call == core.Never {
		return core.NoReason
	}
	left := call.Sub(now)
	if left <= 0 {
		return core.DeadlineExceeded
	}
	if left < c.Needs {
		return core.DeadlineTooShort
	}
	return core.NoReason
}

// CheckWait says whether waiting for wait and then trying again can be of use:
// WaitTooLong when the wait ends at or after the deadline, or leaves less than
// the operation Needs. The caller then gets the last error now instead of the
// same error later.
func (c Config) CheckWait(now, call core.Instant, wait time.Duration) core.Reason {
	if c.Check(now.Add(max(wait, 0)), call) != core.NoReason {
		return core.WaitTooLong
	}
	return core.NoReason
}
