package seakeepsql

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/seakeep/seakeep/core"
)

// tx is a transaction, which is one call: it keeps its slot until it is
// committed or rolled back, and its statements take none of their own.
type tx struct {
	driver.Tx
	c       *conn
	h       *hold
	request time.Duration // limits each statement; 0: none
	worst   core.Outcome  // of its statements; 0: none has failed
}

// Begin implements driver.Conn.
func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements driver.ConnBeginTx.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	var begun driver.Tx
	h, err := c.enter(ctx, stream, func(ctx context.Context) (err error) {
		begun, err = begin(ctx, c.Conn, o)
		return err
	})
	if err == errLate {
		_ = begun.Rollback()
		c.spoiled = true
	}
	if err != nil {
		return nil, err
	}
	h.keep()
	t := &tx{Tx: begun, c: c, h: h, request: c.guard.request(ctx)}
	c.tx = t
	return t, nil
}

// Commit commits, within the limit of a statement if the driver heeds the context
// that the transaction was begun with, as pgx does. Whether one that fails by a limit or a broken connection has
// been carried out, nobody knows.
func (t *tx) Commit() error {
	t.h.leash.limit(t.request, context.DeadlineExceeded)
	err := t.c.done(t.h, t.Tx.Commit())
	t.end(err)
	return err
}

// Rollback rolls back. If a context was the reason, a connection that
// database/sql would not have kept is not kept.
func (t *tx) Rollback() error {
	ended := t.h.leash.Err()
	if ended != nil && !t.c.keepsOnRollback() {
		t.c.spoiled = true
	}
	t.h.leash.limit(t.request, context.DeadlineExceeded)
	err := t.Tx.Rollback()
	if err == nil {
		err = ended
		t.end(err)
		return nil
	}
	t.end(err)
	return err
}

// saw notes how a statement has failed.
func (t *tx) saw(err error) {
	if o := Classify(err).Outcome; o.Failed() {
		t.worst = o
	}
}

// end ends the transaction's call by the worst that it has met.
func (t *tx) end(err error) {
	if t.c.tx != t {
		return
	}
	t.c.tx = nil
	o := Classify(err).Outcome
	if t.worst != 0 {
		o = t.worst
	}
	t.h.end(o)
}
