package seakeepsql

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestStatementOfATransactionIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{do: func(ctx context.Context, q string) error {
			if q == "slow" {
				return hang(ctx)
			}
			return nil
		}}
		db, set := open(t, f, "{bulkhead: {limit: 1}, breaker: {window: {consecutive: 1}}, timeout: {request: 100ms}}")
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := tx.ExecContext(t.Context(), "slow"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("slow: %v", err)
		}
		if took := time.Since(began); took != 100*ms {
			t.Errorf("it took %v", took)
		}
		_ = tx.Rollback()
		if b := set.MustPolicy("db").Snapshot().Breaker; b.State.String() != "open" {
			t.Errorf("the breaker is %v after a transaction with a timeout", b.State)
		}
		if opened, closed := f.count(); opened != 1 || closed != 1 {
			t.Errorf("%d connections opened and %d closed: the one cut off must go", opened, closed)
		}
		_ = db.Close()
	})
}

func TestAcquireHasItsOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, set := open(t, &fake{}, "{breaker: {window: {consecutive: 1}}, timeout: {acquire: 20ms, request: 10s}, retry: {attempts: 3}}")
		db.SetMaxOpenConns(1)
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = db.ExecContext(ReadOnly(t.Context()), "update")
		var acquire *AcquireError
		if !errors.As(err, &acquire) || !errors.Is(err, context.DeadlineExceeded) || reason(err) != 0 {
			t.Errorf("no connection: %v", err)
		}
		if took := time.Since(began); took != 20*ms {
			t.Errorf("it took %v", took)
		}
		if b := set.MustPolicy("db").Snapshot().Breaker; b.State.String() != "closed" {
			t.Errorf("the breaker is %v", b.State)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), "update"); err != nil {
			t.Errorf("with a connection again: %v", err)
		}
		_ = db.Close()
	})
}

func TestRequestLimit(t *testing.T) {
	both(t, func(t *testing.T, door func(*DB) sqlDB) {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{do: func(ctx context.Context, q string) error {
				if q == "slow" {
					return hang(ctx)
				}
				return nil
			}}
			db, set := open(t, f, "{bulkhead: {limit: 1}, timeout: {acquire: 20ms, request: 100ms}}")
			began := time.Now()
			_, err := door(db).QueryContext(t.Context(), "slow")
			if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*AcquireError)) {
				t.Errorf("slow: %v", err)
			}
			if took := time.Since(began); took != 100*ms {
				t.Errorf("it took %v", took)
			}
			s := set.MustPolicy("db").Snapshot()
			if s.Stats.Timeouts != 1 || s.Bulkhead.InUse != 0 {
				t.Errorf("%d timeouts, %d slots taken", s.Stats.Timeouts, s.Bulkhead.InUse)
			}
			if _, closed := f.count(); closed != 1 {
				t.Errorf("%d connections closed", closed)
			}
			_ = db.Close()
		})
	})
}

func TestRowsAreReadWithinTotal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, set := open(t, &fake{rows: 100}, "{bulkhead: {limit: 1}, timeout: {request: 100ms, total: 1s}}")
		rows, err := db.QueryContext(t.Context(), "select")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			n++
			time.Sleep(50 * ms)
		}
		if n < 15 || n > 21 || !errors.Is(rows.Err(), context.DeadlineExceeded) {
			t.Errorf("%d rows read, then %v", n, rows.Err())
		}
		_ = rows.Close()
		if got := busy(set); got != 0 {
			t.Errorf("%d slots taken", got)
		}
		_ = db.Close()
	})
}

func TestConnectLimit(t *testing.T) {
	both(t, func(t *testing.T, door func(*DB) sqlDB) {
		synctest.Test(t, func(t *testing.T) {
			db, set := open(t, &fake{do: func(ctx context.Context, _ string) error { return hang(ctx) }},
				"{timeout: {connect: 50ms, acquire: 20ms, request: 1s}, breaker: {window: {consecutive: 1}}}")
			began := time.Now()
			err := door(db).PingContext(t.Context())
			if took := time.Since(began); took != 50*ms || !errors.Is(err, context.DeadlineExceeded) ||
				errors.As(err, new(*AcquireError)) {
				t.Errorf("%v after %v", err, took)
			}
			if b := set.MustPolicy("db").Snapshot().Breaker; b.State.String() != "open" {
				t.Errorf("the breaker is %v", b.State)
			}
			_ = db.Close()
		})
	})
}

// A driver that does not heed its context holds its slot until it has returned.
// A result is the caller's however late it is; rows are closed, because they are
// mostly still to come.
func TestDriverThatDoesNotHeed(t *testing.T) {
	both(t, func(t *testing.T, door func(*DB) sqlDB) {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{rows: 3, do: func(_ context.Context, q string) error {
				if q == "slow" {
					time.Sleep(300 * ms)
				}
				return nil
			}}
			db, set := open(t, f, "{bulkhead: {limit: 1}, timeout: {request: 100ms}}")
			time.AfterFunc(200*ms, func() {
				if got := busy(set); got != 1 {
					t.Errorf("%d slots taken while it is at work", got)
				}
			})
			if _, err := door(db).ExecContext(t.Context(), "slow"); err != nil {
				t.Errorf("a late result: %v", err)
			}
			if rows, err := door(db).QueryContext(t.Context(), "slow"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("late rows: %v, %v", rows, err)
			}
			if err := door(db).QueryRowContext(t.Context(), "slow").Scan(new(int)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a late row: %v", err)
			}
			if s := set.MustPolicy("db").Snapshot(); s.Stats.Timeouts != 3 || s.Bulkhead.InUse != 0 {
				t.Errorf("%d timeouts, %d slots taken", s.Stats.Timeouts, s.Bulkhead.InUse)
			}
			_ = db.Close()
		})
	})
}
