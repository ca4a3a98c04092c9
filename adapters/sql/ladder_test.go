package seakeepsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// reason is why a call was refused; empty: it was not.
func reason(err error) core.Reason {
	var r *seakeep.Rejection
	if errors.As(err, &r) {
		return r.Reason
	}
	return core.NoReason
}

// both runs a test through both doors.
func both(t *testing.T, f func(t *testing.T, door func(*DB) sqlDB)) {
	t.Run("front", func(t *testing.T) { f(t, func(db *DB) sqlDB { return db }) })
	t.Run("driver", func(t *testing.T) { f(t, func(db *DB) sqlDB { return db.DB }) })
}

// A slot is held until the rows are closed, and a third query is refused.
func TestRowsHoldTheirSlot(t *testing.T) {
	both(t, func(t *testing.T, door func(*DB) sqlDB) {
		db, set := open(t, &fake{rows: 3}, "{bulkhead: {limit: 2}}")
		d := door(db)
		first, err := d.QueryContext(t.Context(), "select")
		if err != nil {
			t.Fatal(err)
		}
		row := d.QueryRowContext(t.Context(), "select")
		if got := busy(set); got != 2 {
			t.Fatalf("%d slots taken by two that are read", got)
		}
		if _, err := d.QueryContext(t.Context(), "select"); reason(err) != core.BulkheadFull {
			t.Errorf("a third: %v", err)
		}
		if err := d.QueryRowContext(t.Context(), "select").Scan(new(int)); reason(err) != core.BulkheadFull {
			t.Errorf("a third, of one row: %v", err)
		}
		if err := row.Scan(new(int)); err != nil {
			t.Error(err)
		}
		for first.Next() {
		}
		_ = first.Close()
		if got := busy(set); got != 0 {
			t.Errorf("%d slots taken when all was read", got)
		}
	})
}

// A transaction is one call. With one slot in all its statements would wait for
// themselves, if they took one.
func TestTransactionHoldsOneSlot(t *testing.T) {
	both(t, func(t *testing.T, door func(*DB) sqlDB) {
		db, set := open(t, &fake{rows: 1}, "{bulkhead: {limit: 1, queue: 1}, timeout: {acquire: 1s, request: 1s}}")
		for _, end := range []func(*sql.Tx) error{(*sql.Tx).Commit, (*sql.Tx).Rollback} {
			tx, err := door(db).BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.ExecContext(t.Context(), "update"); err != nil {
				t.Fatal(err)
			}
			if err := tx.QueryRowContext(t.Context(), "select").Scan(new(int)); err != nil {
				t.Fatal(err)
			}
			if got := busy(set); got != 1 {
				t.Errorf("%d slots taken", got)
			}
			if err := end(tx); err != nil {
				t.Fatal(err)
			}
			if got := busy(set); got != 0 {
				t.Errorf("%d slots taken at the end", got)
			}
		}
	})
}

// A transaction whose context ends is rolled back and gives its slot back.
func TestTransactionOfACallerWhoLeaves(t *testing.T) {
	both(t, func(t *testing.T, door func(*DB) sqlDB) {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{}
			db, set := open(t, f, "{bulkhead: {limit: 1}, timeout: {request: 100ms}}")
			ctx, cancel := context.WithCancel(t.Context())
			tx, err := door(db).BeginTx(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour) // nothing but its caller limits a transaction
			if _, err := tx.ExecContext(t.Context(), "update"); err != nil {
				t.Fatal(err)
			}
			cancel()
			synctest.Wait()
			if err := tx.Commit(); err == nil {
				t.Error("committed")
			}
			if got := busy(set); got != 0 {
				t.Errorf("%d slots taken", got)
			}
			_ = db.Close()
		})
	})
}

// Each statement of a transaction has the limit of a request.
// The wait for a connection has its own limit and its own error, and counts
// against nobody.
// A query that our limit has cut off leaves no connection behind, and its slot
// and its time are accounted for.
// Rows are read within the call's limit and not within the attempt's.
// What database/sql may send again it does, and what the caller has marked the
// policy does. Nothing else is repeated.
func TestRetries(t *testing.T) {
	reset := errors.New("reset") // any text; the class is what counts
	for _, c := range []struct {
		name string
		err  error
		mark bool
		want int32
	}{
		{"nothing was sent", driver.ErrBadConn, false, 3}, // by database/sql: two at hand, one new
		{"broken, a read", stateOf("08006"), true, 3},
		{"broken", stateOf("08006"), false, 1},
		{"its own mistake, a read", stateOf("42601"), true, 1},
		{"unknown, a read", reset, true, 1},
		{"starting up", stateOf("57P03"), false, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int32
			f := &fake{do: func(_ context.Context, q string) error {
				if q == "select" && asked.Add(1) < 3 {
					return c.err
				}
				return nil
			}}
			db, _ := open(t, f, "{retry: {attempts: 3, backoff: {base: 1ms, cap: 10ms}, budget: none}}")
			ctx := t.Context()
			if c.mark {
				ctx = ReadOnly(ctx)
			}
			rows, err := db.QueryContext(ctx, "select")
			if err == nil {
				_ = rows.Close()
			}
			if asked.Load() != c.want || (err == nil) != (c.want == 3) {
				t.Errorf("%s: asked %d times, then %v", c.name, asked.Load(), err)
			}
			_ = db.Close()
		})
	}
}

// An open breaker refuses before the pool is asked, and a new connection too.
func TestOpenBreaker(t *testing.T) {
	f := &fake{do: func(context.Context, string) error { return stateOf("57P01") }}
	both(t, func(t *testing.T, door func(*DB) sqlDB) {
		db, _ := open(t, f, "{breaker: {window: {consecutive: 2}}}")
		for range 2 {
			if err := door(db).PingContext(t.Context()); reason(err) != 0 || err == nil {
				t.Fatal(err)
			}
		}
		before := len(f.log)
		if err := door(db).QueryRowContext(t.Context(), "select").Scan(new(int)); reason(err) != core.CircuitOpen {
			t.Errorf("a query: %v", err)
		}
		if _, err := door(db).BeginTx(t.Context(), nil); reason(err) != core.CircuitOpen {
			t.Errorf("a transaction: %v", err)
		}
		if len(f.log) != before {
			t.Errorf("the driver was asked: %v", f.log[before:])
		}
	})
}

// A connection that does not come about has a limit of its own.
// Operations have their own slots.
func TestOperation(t *testing.T) {
	const settings = "{bulkhead: {limit: 2}, operations: [{name: reports, bulkhead: {limit: 1}}]}"
	db, set := open(t, &fake{rows: 1}, settings)
	if got := db.Stats().MaxOpenConnections; got != 2+1+spare {
		t.Errorf("the pool has %d connections", got)
	}
	ctx := Operation(t.Context(), "reports")
	rows, err := db.QueryContext(ctx, "select")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.DB.QueryContext(ctx, "select"); reason(err) != core.BulkheadFull {
		t.Errorf("a second report: %v", err)
	}
	if _, err := db.ExecContext(t.Context(), "update"); err != nil || busy(set) != 0 {
		t.Errorf("others: %v", err)
	}
	_ = rows.Close()
	if err := db.PingContext(Operation(t.Context(), "report")); err == nil || reason(err) != 0 {
		t.Errorf("a misspelt operation: %v", err)
	}
	file, err := config.Parse("test.yaml", []byte("version: 1\nservice: test\ndependencies:\n  db: {bulkhead: {limit: 7}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Apply(file); err != nil {
		t.Fatal(err)
	}
	if err := db.PingContext(t.Context()); err != nil || db.Stats().MaxOpenConnections != 7+spare {
		t.Errorf("after a reload: %v, %d connections", err, db.Stats().MaxOpenConnections)
	}
}

// A driver that panics, or a statement's caller that is gone, leaves no slot behind.
func TestPanicGivesTheSlotBack(t *testing.T) {
	both(t, func(t *testing.T, door func(*DB) sqlDB) {
		f := &fake{do: func(_ context.Context, q string) error {
			if q == "boom" {
				panic("boom")
			}
			return nil
		}}
		db, set := open(t, f, "{bulkhead: {limit: 1}, timeout: {request: 1s}}")
		func() {
			defer func() { _ = recover() }()
			_, _ = door(db).ExecContext(t.Context(), "boom")
		}()
		if got := busy(set); got != 0 {
			t.Errorf("%d slots taken", got)
		}
	})
}

func TestWrapAndNames(t *testing.T) {
	p, err := seakeep.New(seakeep.Config{Name: "db", Bulkhead: &seakeep.Bulkhead{Limit: 4}})
	if err != nil {
		t.Fatal(err)
	}
	db := Wrap(p, Limits{Acquire: time.Second}, &fake{})
	defer db.Close()
	if err := db.Ping(); err != nil || db.Stats().MaxOpenConnections != 4+spare {
		t.Errorf("%v, %d connections", err, db.Stats().MaxOpenConnections)
	}
	_, set := open(t, &fake{}, "{operations: [{name: reports}]}")
	for _, name := range []string{"nobody", "db/reports"} {
		if _, err := Open(set, name, &fake{}); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
}

// A report tells what became of a call, as it does of all others.
func TestReport(t *testing.T) {
	db, _ := open(t, &fake{}, "{timeout: {request: 1s}}")
	var r seakeep.Report
	ctx := seakeep.With(t.Context(), seakeep.Call{Report: &r})
	if _, err := db.ExecContext(ctx, "update"); err != nil {
		t.Fatal(err)
	}
	if r.Policy != "db" || r.Verdict != call.Succeeded || len(r.Attempts) != 1 {
		t.Errorf("%+v", r)
	}
}
