package seakeepsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// stateError is the error of a driver that knows SQLSTATE (ISO/IEC 9075): those
// of pgx and lib/pq have the method.
type stateError interface{ SQLState() string }

// safeError is an error of pgx that knows whether anything was sent.
type safeError interface{ SafeToRetry() bool }

// classify turns an error into what policies decide by: by the program's own
// word (seakeep.Options.Classify) or what package seakeep knows of errors, or by
// what databases say. An error that nobody knows is the caller's own: most
// errors of a database that answers are, and one that does not answer shows by
// timeouts and broken connections.
func classify(a seakeep.Adapter, err error) core.Result {
	var acquire *AcquireError
	if errors.As(err, &acquire) {
		return core.Result{Outcome: core.Ignored, Cause: core.Unsent}
	}
	var refused *seakeep.Rejection
	if errors.As(err, &refused) && refused.Policy == a.Plan().Config().Name {
		return own // this very policy has refused a call within the call, and counted that
	}
	r := a.Classify(err)
	if r.Outcome == core.Cancelled || r.Outcome == core.Timeout {
		return r
	}
	if r.Outcome == core.Failure && r.Cause == core.Unknown {
		return Classify(err)
	}
	return r
}

// Classify says what an error of database/sql or of a database means; nil is a
// success. It is what a DB goes by where neither the program's own Classify nor
// the package seakeep knows the error; see docs/sql.md for the table.
func Classify(err error) core.Result {
	var state stateError
	var safe safeError
	switch {
	case err == nil:
		return core.Result{Outcome: core.Success}
	case errors.As(err, &state):
		return ofState(state.SQLState())
	case errors.Is(err, driver.ErrBadConn):
		return core.Result{Outcome: core.Failure, Cause: core.Unsent}
	case errors.Is(err, sql.ErrNoRows), errors.Is(err, sql.ErrTxDone),
		errors.Is(err, sql.ErrConnDone), errors.Is(err, driver.ErrSkip):
		return own
	case errors.Is(err, context.Canceled):
		return core.Result{Outcome: core.Cancelled}
	case errors.As(err, &safe) && safe.SafeToRetry():
		return core.Result{Outcome: core.Failure, Cause: core.Unsent}
	}
	if r := seakeep.Classify(err); r.Cause != core.Unknown {
		return r
	}
	return own
}

// own is the caller's own mistake, or its own business.
var own = core.Result{Outcome: core.Ignored, Cause: core.ClientError}

// ofState goes by the class of an SQLSTATE, its first two characters, and by
// the states that differ from their class.
func ofState(state string) core.Result {
	switch state {
	case "57014": // query_canceled: statement_timeout, for what our limit ends never gets here
		return core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
	case "08001", "08004": // could not connect, and was not let in
		return core.Result{Outcome: core.Failure, Cause: core.Unsent}
	case "53300", "57P03": // too_many_connections; cannot_connect_now, while it starts or stops
		return core.Result{Outcome: core.Overloaded, Cause: core.Unsent}
	case "57P04": // database_dropped
		return own
	}
	class := state
	if len(state) > 2 {
		class = state[:2]
	}
	switch class {
	case "08": // connection exceptions
		return core.Result{Outcome: core.Failure, Cause: core.Reset}
	case "53": // out of disk, memory, connections
		return core.Result{Outcome: core.Overloaded, Cause: core.Unavailable}
	case "57": // an operator stepped in, or a crash
		return core.Result{Outcome: core.Failure, Cause: core.Unavailable}
	case "58", "XX", "F0": // errors of the system, of the server itself, of its settings
		return core.Result{Outcome: core.Failure, Cause: core.ServerError}
	}
	return own
}

// Contended reports whether a transaction has failed only because of others that
// ran beside it: a serialization failure (SQLSTATE 40001) or a deadlock (40P01).
// The database has rolled it back, and it may well succeed when it is run again.
func Contended(err error) bool {
	var state stateError
	if !errors.As(err, &state) {
		return false
	}
	s := state.SQLState()
	return s == "40001" || s == "40P01"
}
