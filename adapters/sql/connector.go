package seakeepsql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// connector is the driver's, with connections that know the ladder.
type connector struct {
	inner driver.Connector
	guard *guard
}

// Driver returns the inner driver: who asks wants to know which one it is.
func (c *connector) Driver() driver.Driver { return c.inner.Driver() }

// Close closes a connector that can be closed, as sql.DB.Close would.
func (c *connector) Close() error {
	if closer, ok := c.inner.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// Connect opens a connection: as part of the call that needs it, or else as a
// call of its own, so that a database that is down is not dialed over and over.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if h := holdOf(ctx, c.guard); h != nil {
		h.reached()
		return c.dial(ctx, h)
	}
	var made driver.Conn
	h, err := c.guard.run(ctx, job{within: true, do: func(ctx context.Context) (err error) {
		made, err = c.dial(ctx, holdOf(ctx, c.guard))
		return err
	}})
	if err != nil {
		return nil, err
	}
	h.end(core.Success)
	return made, nil
}

func (c *connector) dial(ctx context.Context, h *hold) (driver.Conn, error) {
	limited := ctx
	if d := h.limits.Connect; d > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	inner, err := c.inner.Connect(limited)
	if err == nil {
		return wrapConn(inner, c.guard), nil
	}
	if limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("seakeepsql: no new connection within %v: %w", h.limits.Connect, err)
	}
	var known *seakeep.Rejection
	if r := Classify(err); ctx.Err() == nil && !errors.As(err, &known) && !answered(err, r) {
		err = seakeep.Unsent(err) // nothing but a handshake has left
	}
	return nil, err
}

// answered reports whether a database has answered the handshake with a
// refusal of its own, which says more than that nothing was sent.
func answered(err error, r core.Result) bool {
	var state stateError
	return errors.As(err, &state) || r.Outcome == core.Cancelled
}
