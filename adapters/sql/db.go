package seakeepsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// spare is how many more connections than slots the pool may have: what is
// refused in the driver has one for the microseconds that takes.
const spare = 2

// DB is a pool of connections behind a policy. Its methods enter the ladder
// before they ask the pool, whose wait timeout.acquire limits. It is safe for use
// by many goroutines.
//
// The field DB is the same pool as a plain *sql.DB, for what wants one. Its calls
// meet the same policy in the driver, once they have a connection; no acquire
// limit of ours reaches into the pool's own wait, which Open keeps short by
// giving the pool more connections than there are slots.
type DB struct {
	*sql.DB
	guard *guard
}

// Open protects a database by a dependency of the policy file. The pool gets as
// many connections as the bulkheads of the dependency and its operations have
// places, and two more, and keeps as many idle as they have slots; without a
// bulkhead database/sql's defaults stay. That is done anew after a reload which
// changed the file, so set your own sizes only where there is no bulkhead.
func Open(set *seakeep.Set, dependency string, c driver.Connector) (*DB, error) {
	if _, err := set.Policy(dependency); err != nil {
		return nil, err
	}
	g := &guard{set: set, name: dependency}
	v := g.look()
	if v == nil {
		return nil, fmt.Errorf("seakeepsql: %q is an operation: name its dependency, and choose "+
			"the operation with Operation", dependency)
	}
	db := newDB(g, c)
	db.guard.latest.Store(v)
	db.size(v)
	return db, nil
}

// Wrap protects a database by one policy without a file.
func Wrap(p *seakeep.Policy, l Limits, c driver.Connector) *DB {
	db := newDB(&guard{name: p.Name()}, c)
	v := &view{whole: part{p, l}}
	plan := p.Plan().Config()
	v.count(&plan)
	db.guard.latest.Store(v)
	db.size(v)
	return db
}

func newDB(g *guard, c driver.Connector) *DB {
	db := &DB{sql.OpenDB(&connector{c, g}), g}
	g.resize = db.size
	return db
}

// size gives the pool the room that the bulkheads promise.
func (db *DB) size(v *view) {
	if v.slots > 0 {
		db.SetMaxOpenConns(v.slots + v.queued + spare)
		db.SetMaxIdleConns(v.slots)
	}
}

// front does the job and ends its call unless rows or a transaction do.
func (db *DB) front(ctx context.Context, begins answer, do func(context.Context) error) error {
	h, err := db.guard.run(ctx, job{do: do, begins: begins})
	if err == nil {
		h.settle(core.Success)
	}
	return err
}

// QueryContext is sql.DB.QueryContext behind the policy. Its slot is held until
// the rows are closed.
func (db *DB) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	var rows *sql.Rows
	err := db.front(ctx, body, func(ctx context.Context) (err error) {
		rows, err = db.DB.QueryContext(ctx, query, args...)
		return err
	})
	if err != nil {
		if rows != nil {
			_ = rows.Close()
		}
		return nil, err
	}
	return rows, nil
}

// QueryRowContext is sql.DB.QueryRowContext behind the policy. Its slot is held
// until the row is scanned.
func (db *DB) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	var row *sql.Row
	err := db.front(ctx, body, func(ctx context.Context) error {
		row = db.DB.QueryRowContext(ctx, query, args...)
		return row.Err()
	})
	if err == nil {
		return row
	}
	if row != nil && row.Err() == nil {
		_ = row.Scan() // it closes the rows
	}
	return db.DB.QueryRowContext(refused{ctx, err}, query, args...)
}

// ExecContext is sql.DB.ExecContext behind the policy.
func (db *DB) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	var result sql.Result
	err := db.front(ctx, whole, func(ctx context.Context) (err error) {
		result, err = db.DB.ExecContext(ctx, query, args...)
		return err
	})
	return result, err
}

// PingContext is sql.DB.PingContext behind the policy.
func (db *DB) PingContext(ctx context.Context) error {
	return db.front(ctx, whole, db.DB.PingContext)
}

// PrepareContext is sql.DB.PrepareContext behind the policy. What is done with
// the statement enters the ladder in the driver.
func (db *DB) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	var made *sql.Stmt
	err := db.front(ctx, whole, func(ctx context.Context) (err error) {
		made, err = db.DB.PrepareContext(ctx, query)
		return err
	})
	return made, err
}

// BeginTx is sql.DB.BeginTx behind the policy. The transaction is one call: it
// holds its slot until it is committed or rolled back, each of its statements has
// timeout.request, and only ctx limits the whole.
func (db *DB) BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error) {
	var made *sql.Tx
	err := db.front(ctx, stream, func(ctx context.Context) (err error) {
		made, err = db.DB.BeginTx(ctx, opts)
		return err
	})
	if err != nil {
		if made != nil {
			_ = made.Rollback()
		}
		return nil, err
	}
	return made, nil
}

// Conn is sql.DB.Conn behind the policy, which counts a new connection and not
// one that was there. A pinned connection holds no slot; what is done on it
// enters the ladder in the driver.
func (db *DB) Conn(ctx context.Context) (*sql.Conn, error) {
	var got *sql.Conn
	h, err := db.guard.run(ctx, job{do: func(ctx context.Context) (err error) {
		got, err = db.DB.Conn(ctx)
		return err
	}})
	if err != nil {
		return nil, err
	}
	h.settle(core.Ignored)
	return got, nil
}

// Query is QueryContext without a context.
func (db *DB) Query(query string, args ...any) (*sql.Rows, error) {
	return db.QueryContext(context.Background(), query, args...)
}

// QueryRow is QueryRowContext without a context.
func (db *DB) QueryRow(query string, args ...any) *sql.Row {
	return db.QueryRowContext(context.Background(), query, args...)
}

// Exec is ExecContext without a context.
func (db *DB) Exec(query string, args ...any) (sql.Result, error) {
	return db.ExecContext(context.Background(), query, args...)
}

// Ping is PingContext without a context.
func (db *DB) Ping() error { return db.PingContext(context.Background()) }

// Prepare is PrepareContext without a context.
func (db *DB) Prepare(query string) (*sql.Stmt, error) {
	return db.PrepareContext(context.Background(), query)
}

// Begin is BeginTx without a context.
func (db *DB) Begin() (*sql.Tx, error) { return db.BeginTx(context.Background(), nil) }

// commitError is a commit whose fate is not known.
type commitError struct{ error }

func (c *commitError) Unwrap() error { return c.error }

// InTx runs fn in a transaction, which it commits if fn returns nil and rolls
// back otherwise. By calling it you declare fn repeatable: a transaction that
// the database has rolled back because of others beside it (see Contended), or
// that broke before its commit was sent, is run again as a whole, with the
// policy's waits and within its attempts and budget. A commit whose fate is not
// known is not repeated.
//
// An attempt is the whole transaction: timeout.request limits it from the
// connection to the commit. fn's own error ends it without another, and is
// returned as it came. A panic of fn rolls back and goes on.
func (db *DB) InTx(ctx context.Context, opts *sql.TxOptions,
	fn func(context.Context, *sql.Tx) error) error {
	h, err := db.guard.run(ctx, job{judge: repeatable, do: func(ctx context.Context) error {
		tx, err := db.DB.BeginTx(ctx, opts)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
		if err := fn(holdOf(ctx, db.guard).leash, tx); err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return &commitError{err}
		}
		return nil
	}})
	if err == nil {
		h.settle(core.Success)
		return nil
	}
	var c *commitError
	if errors.As(err, &c) && err == error(c) {
		return c.error
	}
	return err
}
