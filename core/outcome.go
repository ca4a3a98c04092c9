package core

import "time"

// Outcome says how one attempt ended, in the terms policies decide by. The
// zero value is not an outcome.
type Outcome uint8

const (
	// Success is an answer that counts as good, however long it took.
	Success Outcome = iota + 1
	// Failure is an error, a 5xx answer or a broken connection.
	Failure
	// Timeout is an attempt that our own limit ended.
	Timeout
	// Overloaded is a refusal by the other side: 429, 503, or a reset that
	// says so. Result.RetryAfter and Result.NoRetry carry its wish.
	Overloaded
	// Cancelled means the caller left. It says nothing about the dependency.
	Cancelled
	// Ignored is the caller's own mistake, such as a 4xx answer. It says
	// nothing about the dependency either.
	Ignored
)

var outcomeNames = [...]string{
	"none", "success", "failure", "timeout", "overloaded", "cancelled", "ignored",
}

// String returns the outcome's name in lower case.
func (o Outcome) String() string { return nameOf(outcomeNames[:], int(o)) }

// Neutral reports whether the outcome says nothing about the dependency, so
// that no policy may count it, in any state.
func (o Outcome) Neutral() bool { return o == Cancelled || o == Ignored }

// Failed reports whether the outcome counts against the dependency.
func (o Outcome) Failed() bool { return o == Failure || o == Timeout || o == Overloaded }

// Cause says what went wrong in an attempt, which decides whether another try
// may help and whether it is safe. The zero value, NoCause, goes with Success.
type Cause uint8

const (
	// NoCause is the cause of an attempt that went well.
	NoCause Cause = iota
	// Unsent means the request never reached a server: connection refused,
	// name not found, connect timeout, or a stream the server says it never
	// processed. Repeating it is always safe.
	Unsent
	// Reset means the connection broke after something was sent.
	Reset
	// TimedOut means our limit passed after something was sent.
	TimedOut
	// Unavailable is 503 or its equal.
	Unavailable
	// TooMany is 429 or its equal.
	TooMany
	// BadGateway is 502 or 504: an intermediary could not get an answer.
	BadGateway
	// ServerError is any other 5xx or an error of the dependency itself.
	ServerError
	// ClientError is any other 4xx: the same request gets the same answer.
	ClientError
	// BadAnswer is an answer we refuse to use, for example headers too large.
	BadAnswer
	// Unknown is an error nobody classified.
	Unknown
)

var causeNames = [...]string{
	"none", "unsent", "reset", "timeout", "unavailable", "too-many", "bad-gateway",
	"server-error", "client-error", "bad-answer", "unknown",
}

// String returns the cause's name in lower case.
func (c Cause) String() string { return nameOf(causeNames[:], int(c)) }

// Result is everything a policy may know of an ended attempt. The zero value
// is not a result.
type Result struct {
	Outcome    Outcome
	Cause      Cause
	NoRetry    bool          // the other side, or a layer below, asks not to be tried again
	RetryAfter time.Duration // how long the other side asks to be left alone; zero: it did not say
	// Exact says that RetryAfter, also if it is zero, is when the other side
	// wants to be tried again, and not the least wait: gRPC's pushback.
	Exact bool
}

func nameOf(names []string, i int) string {
	if i >= 0 && i < len(names) {
		return names[i]
	}
	return "invalid"
}
