package idempotency

import "github.com/seakeep/seakeep/core"

// Store holds the records of keys. It is safe for concurrent use.
//
// now is given in nanoseconds since 1970, because a store may outlive its
// process and share its records with others. A store that has seen a later now
// goes by that one.
//
// There is no context: a call that is given up halfway leaves a claim of which
// nobody knows. A store that asks over a network sets itself a time limit, well
// below that of a request.
//
// A store must be able to tell a claim whose process died from one that is
// alive, and make the former Unknown (Record.Orphaned). Memory need not, a file
// that one process can open does so when it is opened, a shared store needs
// leases that it renews itself.
type Store interface {
	// Admit looks the key up and claims it if it is free, as one step: of any
	// number of calls for a free key exactly one gets NoReason, and the others
	// see its claim. What the rules are says Record.Admit. With NoReason the
	// claim is as durable as the store is before Admit returns. If there is no
	// room the reason is KeysExhausted. With an error the caller must not run;
	// a claim that was made all the same becomes Unknown in time.
	Admit(now core.Instant, c Claim) (Record, core.Reason, error)
	// Report says how the run c.Owner of c.Key has ended, by the rules of
	// Record.Report, and whether the record now says so; it does not if the run
	// has lost its key, or if there was no room for the answer. The other
	// fields of c are not used. It panics if e is not an end.
	Report(now core.Instant, c Claim, e Ending) (bool, error)
}
