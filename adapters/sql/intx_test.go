package seakeepsql

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/seakeep/seakeep/core"
)

// inTx runs transactions, of which the driver's statements do what do says.
func inTx(t *testing.T, do func(q string) error, fn func(*sql.Tx) error) (runs int, err error) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{do: func(_ context.Context, q string) error { return do(q) }}
		db, set := open(t, f, "{bulkhead: {limit: 1}, timeout: {request: 1s}, "+
			"retry: {attempts: 3, backoff: {base: 1ms, cap: 10ms}}}")
		err = db.InTx(t.Context(), nil, func(ctx context.Context, tx *sql.Tx) error {
			runs++
			if _, err := tx.ExecContext(ctx, "update"); err != nil {
				return err
			}
			return fn(tx)
		})
		if got := busy(set); got != 0 {
			t.Errorf("%d slots taken", got)
		}
		_ = db.Close()
	})
	return runs, err
}

func TestInTx(t *testing.T) {
	mine := errors.New("mine")
	once := func(on string, err error) func(string) error {
		return func(q string) error {
			if q == on && err != nil {
				defer func() { err = nil }()
				return err
			}
			return nil
		}
	}
	good := func(*sql.Tx) error { return nil }
	for _, c := range []struct {
		name string
		do   func(string) error
		fn   func(*sql.Tx) error
		runs int
		err  error
	}{
		{"well", once("", nil), good, 1, nil},
		{"a statement is not serializable", once("update", stateOf("40001")), good, 2, nil},
		{"a commit is not serializable", once("commit", stateOf("40001")), good, 2, nil},
		{"a deadlock", once("update", stateOf("40P01")), good, 2, nil},
		{"broken before the commit", once("update", stateOf("08006")), good, 2, nil},
		{"broken in the commit", once("commit", stateOf("08006")), good, 1, stateOf("08006")},
		{"its own error", once("", nil), func(*sql.Tx) error { return mine }, 1, mine},
		{"a constraint", once("update", stateOf("23505")), good, 1, stateOf("23505")},
		{"over and over", func(q string) error {
			if q == "update" {
				return stateOf("40001")
			}
			return nil
		}, good, 3, stateOf("40001")},
	} {
		runs, err := inTx(t, c.do, c.fn)
		if runs != c.runs || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%s: run %d times, then %v", c.name, runs, err)
		}
	}
}

// What fn does beside the transaction is a call of its own.
func TestInTxHandsOutNoTicket(t *testing.T) {
	db, set := open(t, &fake{}, "{bulkhead: {limit: 1}}")
	err := db.InTx(t.Context(), nil, func(ctx context.Context, _ *sql.Tx) error {
		return db.PingContext(ctx)
	})
	if reason(err) != core.BulkheadFull {
		t.Errorf("beside it: %v", err)
	}
	if n := set.MustPolicy("db").Snapshot().Stats.Overloads; n != 0 {
		t.Errorf("%d overloads: its own refusal was counted against the database", n)
	}
	func() {
		defer func() { _ = recover() }()
		_ = db.InTx(t.Context(), nil, func(context.Context, *sql.Tx) error { panic("boom") })
	}()
	if err := db.Ping(); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}
