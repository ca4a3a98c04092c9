package seakeepsql

import (
	"context"
	"database/sql/driver"

	"github.com/seakeep/seakeep/core"
)

// conn is a connection that knows the ladder. What a driver may leave out it has
// always, where database/sql cannot tell the difference; where it can, wrapConn
// chooses.
type conn struct {
	driver.Conn
	guard   *guard
	tx      *tx  // under way; nil: none
	spoiled bool // something was cut off on it, and its answer may still come
}

// wrapConn returns a connection that queries and executes without preparing if
// the driver's can.
func wrapConn(inner driver.Conn, g *guard) driver.Conn {
	c := &conn{Conn: inner, guard: g}
	switch q, e := queries(inner), executes(inner); {
	case q && e:
		return &queryExecConn{c, querier{c}, execer{c}}
	case q:
		return &queryConn{c, querier{c}}
	case e:
		return &execConn{c, execer{c}}
	}
	return c
}

type queryExecConn struct {
	*conn
	querier
	execer
}

type queryConn struct {
	*conn
	querier
}

type execConn struct {
	*conn
	execer
}

// Unwrap returns the driver's own connection, given what sql.Conn.Raw gives.
func Unwrap(driverConn any) any {
	switch c := driverConn.(type) {
	case *conn:
		return c.Conn
	case *queryExecConn:
		return c.conn.Conn
	case *queryConn:
		return c.conn.Conn
	case *execConn:
		return c.conn.Conn
	}
	return driverConn
}

// enter does what is done on the connection within the ladder: in that of the
// call it is for, in that of its transaction, or in one of its own. The hold it
// returns is to be ended, unless it was kept by somebody else.
func (c *conn) enter(ctx context.Context, begins answer, do func(context.Context) error) (
	*hold, error) {
	if h := holdOf(ctx, c.guard); h != nil {
		h.reached()
		return h, c.done(h, do(ctx))
	}
	if c.tx != nil {
		return c.enterTx(ctx, do)
	}
	return c.guard.run(ctx, job{within: true, begins: begins, do: func(ctx context.Context) error {
		return c.done(holdOf(ctx, c.guard), do(ctx))
	}})
}

// enterTx does it as part of a transaction: within its slot, and within a limit
// of the statement's own.
func (c *conn) enterTx(ctx context.Context, do func(context.Context) error) (*hold, error) {
	h := newHold(ctx, c.guard, c.tx.h.limits)
	h.inTx = true
	h.leash.limit(c.tx.request, context.DeadlineExceeded)
	h.give(h.tail)
	err := c.done(h, do(h.context()))
	if err == nil && h.leash.lift() {
		return h, nil
	}
	if err != nil {
		c.tx.saw(err)
	}
	h.end(0)
	return h, err
}

// done notes what an error means for the connection.
func (c *conn) done(h *hold, err error) error {
	if err == nil || err == driver.ErrSkip {
		return err
	}
	if h.leash.Err() != nil {
		c.spoiled = true
	}
	return h.because(err)
}

// finished ends a hold whose work has returned.
func finished(h *hold, err error) {
	if err == nil && h.own() {
		h.end(core.Success)
	}
}

// Prepare implements driver.Conn.
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	var made driver.Stmt
	h, err := c.enter(ctx, whole, func(ctx context.Context) (err error) {
		made, err = prepare(ctx, c.Conn, query)
		return err
	})
	finished(h, err)
	if err != nil {
		return nil, err
	}
	return wrapStmt(made, c), nil
}

// Ping implements driver.Pinger. A driver that has no ping is not asked.
func (c *conn) Ping(ctx context.Context) error {
	pinger, ok := c.Conn.(driver.Pinger)
	if !ok {
		return nil
	}
	h, err := c.enter(ctx, whole, pinger.Ping)
	finished(h, err)
	return err
}

// ResetSession implements driver.SessionResetter.
func (c *conn) ResetSession(ctx context.Context) error {
	if c.spoiled {
		return driver.ErrBadConn
	}
	if r, ok := c.Conn.(driver.SessionResetter); ok {
		return r.ResetSession(ctx)
	}
	return nil
}

// IsValid implements driver.Validator.
func (c *conn) IsValid() bool {
	if c.spoiled {
		return false
	}
	v, ok := c.Conn.(driver.Validator)
	return !ok || v.IsValid()
}

// CheckNamedValue implements driver.NamedValueChecker. ErrSkip sends database/sql
// on to what it would do without one.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// Close ends what is left of a transaction too.
func (c *conn) Close() error {
	if c.tx != nil {
		c.tx.end(context.Canceled)
	}
	return c.Conn.Close()
}

// keepsOnRollback reports whether database/sql would keep the driver's connection
// after a rollback that a context has caused.
func (c *conn) keepsOnRollback() bool {
	_, resets := c.Conn.(driver.SessionResetter)
	_, validates := c.Conn.(driver.Validator)
	return resets && validates
}

// querier is the half of a connection that queries without preparing.
type querier struct{ c *conn }

// QueryContext implements driver.QueryerContext.
func (q querier) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (
	driver.Rows, error) {
	return q.c.rows(ctx, func(ctx context.Context) (driver.Rows, error) {
		return queryConnection(ctx, q.c.Conn, query, args)
	})
}

// execer is the half of a connection that executes without preparing.
type execer struct{ c *conn }

// ExecContext implements driver.ExecerContext.
func (e execer) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (
	driver.Result, error) {
	return e.c.result(ctx, func(ctx context.Context) (driver.Result, error) {
		return execConnection(ctx, e.c.Conn, query, args)
	})
}

// result does what returns a result.
func (c *conn) result(ctx context.Context, do func(context.Context) (driver.Result, error)) (
	driver.Result, error) {
	var res driver.Result
	h, err := c.enter(ctx, whole, func(ctx context.Context) (err error) {
		res, err = do(ctx)
		return err
	})
	finished(h, err)
	if err != nil {
		return nil, err
	}
	return res, nil
}

// rows does what returns rows, which keep the hold until they are closed.
func (c *conn) rows(ctx context.Context, do func(context.Context) (driver.Rows, error)) (
	driver.Rows, error) {
	var got driver.Rows
	h, err := c.enter(ctx, body, func(ctx context.Context) (err error) {
		got, err = do(ctx)
		return err
	})
	if err == errLate {
		_ = got.Close()
		c.spoiled = true
	}
	if err != nil {
		return nil, err
	}
	h.keep()
	return &rows{Rows: got, c: c, h: h}, nil
}
