package seakeephttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/idempotency"
)

const (
	// defaultKeyedBody and defaultKeyedAnswer bound what one keyed write holds
	// in memory. Writes are small: what is larger is an upload, and wants a
	// protocol that can go on where it stopped.
	defaultKeyedBody   = 1 << 20
	defaultKeyedAnswer = 1 << 20
)

// IdempotencyConfig says which requests run once under their key. Store and
// Principal must be given.
type IdempotencyConfig struct {
	// Store keeps the keys: idempotency.NewMemory, or adapters/bolt, which
	// outlives the process. How long keys live is its setting.
	Store idempotency.Store
	// Methods are those whose requests may carry a key; nil means POST and
	// PATCH, since the other writes may be repeated anyway. Requests with other
	// methods pass as they are, their key unread.
	Methods []string
	// Required refuses requests without a key with 400. The default lets them
	// pass unprotected, so that clients can learn keys one by one.
	Required bool
	// Principal names who asks, so that one client's key never answers another
	// client: the subject of a verified token, an account, a tenant. It must
	// not change between repetitions, as a token itself does when it is
	// renewed. It has no default because a wrong one gives answers to
	// strangers; return "" if there is only one client.
	Principal func(*http.Request) string
	// Fates says what becomes of keys whose write failed or had no answer.
	Fates idempotency.Fates
	// Limits bounds what is held in memory for one request.
	Limits IdempotencyLimits
	// Resolve asks the application about a write of which nobody knows how it
	// ended, when its client repeats it; nil: the client gets a 409. key is the
	// client's, found what the store knows. It returns that the write has not
	// run, and then it runs now; that it ran, with the answer, which is then
	// the answer to all repetitions, or with nil if there is none any more; or
	// an error, which leaves the key unknown. A write that may still be going
	// on must be an error. Resolve may be called by several repetitions at
	// once; of those that hear "not run" one runs.
	Resolve func(r *http.Request, key string, found idempotency.Record) (*KeyedAnswer, bool, error)
	// Observer hears of each request that was answered here and did not reach
	// the application, as core.RequestRefused with the reason, also when the
	// answer is a replay (core.KeyReplayed); nil: nobody does. The event's Key
	// has the method, the path and the client's key.
	Observer core.Observer
}

// IdempotencyLimits bounds what one keyed request holds in memory.
type IdempotencyLimits struct {
	// Body is how long a request's body may be, in bytes; 0 means 1 MiB. All of
	// it is read before the application runs, because a key stands for one
	// request and the body is part of it. A longer one is refused with 413.
	Body int64
	// Answer is how long an answer's body may be to be kept; 0 means 1 MiB. A
	// longer one reaches the client, and repetitions are refused.
	Answer int64
}

// Validate returns nil, or one error for each field at fault, joined. Each
// names the field first and says how to mend it.
func (c IdempotencyConfig) Validate() error {
	var errs []error
	if c.Store == nil {
		errs = append(errs, errors.New("Store: is nil; give one, such as that of idempotency.NewMemory"))
	}
	if c.Principal == nil {
		errs = append(errs, errors.New("Principal: is nil; give a function that names who asks, "+
			"or one that returns \"\" if there is only one client"))
	}
	if c.Methods != nil && len(c.Methods) == 0 {
		errs = append(errs, errors.New("Methods: is empty; name some, or leave it nil for POST and PATCH"))
	}
	for _, m := range c.Methods {
		if m == "" || m == http.MethodConnect {
			errs = append(errs, fmt.Errorf("Methods: has %q, which cannot be repeated; leave it out", m))
		}
	}
	if c.Limits.Body < 0 {
		errs = append(errs, fmt.Errorf("Limits.Body: is %d; give a size in bytes, or 0 for %d",
			c.Limits.Body, defaultKeyedBody))
	}
	if c.Limits.Answer < 0 {
		errs = append(errs, fmt.Errorf("Limits.Answer: is %d; give a size in bytes, or 0 for %d",
			c.Limits.Answer, defaultKeyedAnswer))
	}
	return errors.Join(errs...)
}

// Idempotency returns a handler that runs next once for each Idempotency-Key,
// and gives repetitions the first answer. It panics if c is not valid.
//
// A keyed write holds on to the end once next has begun, also if its client has
// left: next gets a context that ends at the request's deadline and not with
// the client. The answer is stored before the client sees it, unless next
// flushes or the answer is longer than is kept. next must not answer before it
// has ended, so an http.TimeoutHandler belongs around Idempotency and not
// inside. What a repetition gets in which case, and what a crash leaves, is on
// the page docs/policies/idempotency.md.
func Idempotency(next http.Handler, c IdempotencyConfig) http.Handler {
	if err := c.Validate(); err != nil {
		panic("seakeephttp: " + err.Error())
	}
	if c.Methods == nil {
		c.Methods = []string{http.MethodPost, http.MethodPatch}
	}
	if c.Limits.Body == 0 {
		c.Limits.Body = defaultKeyedBody
	}
	if c.Limits.Answer == 0 {
		c.Limits.Answer = defaultKeyedAnswer
	}
	c.Methods = slices.Clone(c.Methods)
	return &keeper{IdempotencyConfig: c, next: next, runs: newRunNames()}
}

// KeyedWrite is the run of one write under its key, for a handler that knows
// more than its answer tells: a proxy, whose 502 may mean that nothing was
// sent or that everything was. Its methods may be called on nil, by any
// goroutine, before the handler returns.
type KeyedWrite struct{ said saying }

// KeyedWriteOf returns the run that ctx belongs to, or nil if there is none.
func KeyedWriteOf(ctx context.Context) *KeyedWrite {
	k, _ := ctx.Value(keyedWriteKey{}).(*KeyedWrite)
	return k
}

type keyedWriteKey struct{}

// NotSent says that surely nothing was sent or done: whatever the answer is,
// the key is free afterwards and a repetition runs.
func (k *KeyedWrite) NotSent() {
	if k != nil {
		k.said.sayNotSent()
	}
}

// NotAnswered says that the write was sent and no answer came, or not all of
// it: Fates.Unanswered decides what repetitions get. It outweighs NotSent,
// because of several attempts one may have been sent and the last one not.
func (k *KeyedWrite) NotAnswered() {
	if k != nil {
		k.said.sayNotAnswered()
	}
}
