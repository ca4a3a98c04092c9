package seakeepsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"flag"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const places = 8 // connections, with and without

// locked is what a program does whose table orders somebody has locked: 60
// queries a second of that, and 100 a second of another table.
type locked struct {
	query func(ctx context.Context, operation, query string) error

	mu     sync.Mutex
	took   []time.Duration // by the other table's queries
	failed int             // of those
	why    error           // the last of them
	ours   map[string]int  // what became of the locked table's
}

const patience = time.Second // of a caller

var lockedFor = flag.Duration("locked", 3*time.Second, "how long each pool stands before a locked table")

// run sends for d, each when its time has come, however the others fare.
func (l *locked) run(d time.Duration) {
	l.ours = map[string]int{}
	var wg sync.WaitGroup
	begun := time.Now()
	every := func(period time.Duration, f func(due time.Time)) {
		for at := period; at < d; at += period {
			due := begun.Add(at)
			wg.Go(func() {
				time.Sleep(time.Until(due))
				f(due)
			})
		}
	}
	every(10*ms, func(due time.Time) {
		ctx, cancel := context.WithDeadline(context.Background(), due.Add(patience))
		defer cancel()
		err := l.query(ctx, "", "select count(*) from stock")
		l.mu.Lock()
		defer l.mu.Unlock()
		l.took = append(l.took, time.Since(due))
		if err != nil {
			l.failed, l.why = l.failed+1, err
		}
	})
	every(16*ms, func(due time.Time) {
		ctx, cancel := context.WithDeadline(context.Background(), due.Add(patience))
		defer cancel()
		err := l.query(ctx, "orders", "select count(*) from orders")
		what := "answered"
		switch {
		case reason(err) != core.NoReason:
			what = reason(err).String()
		case errors.Is(err, context.DeadlineExceeded):
			what = "timeout"
		case err != nil:
			what = err.Error()
		}
		l.mu.Lock()
		l.ours[what]++
		l.mu.Unlock()
	})
	wg.Wait()
	slices.Sort(l.took)
}

func (l *locked) p(q float64) time.Duration {
	return l.took[int(q*float64(len(l.took)-1))].Round(100 * time.Microsecond)
}

// TestLockedTable has somebody lock a table, and watches the queries of another
// one: through a pool as it comes, and behind a policy.
func TestLockedTable(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	pg := postgres(t)
	db, _ := open(t, pg, "{timeout: {acquire: 50ms, request: 800ms}, bulkhead: {limit: 6}, breaker: {}, "+
		"operations: [{name: orders, timeout: {request: 250ms}, bulkhead: {limit: 2}, breaker: {open: {for: 1s}}}]}")
	protected := func(ctx context.Context, operation, query string) error {
		if operation != "" {
			ctx = Operation(ctx, operation)
		}
		return db.QueryRowContext(ctx, query).Scan(new(int))
	}
	setup(t, db, "create table orders (id int primary key)", "create table stock (id int)",
		"insert into stock select generate_series(1, 100)")
	bare := sql.OpenDB(pg)
	bare.SetMaxOpenConns(places)
	bare.SetMaxIdleConns(places)
	defer bare.Close()
	plain := func(ctx context.Context, _, query string) error {
		return bare.QueryRowContext(ctx, query).Scan(new(int))
	}

	before := &locked{query: protected}
	before.run(time.Second)
	lift := lock(t, pg)
	with, without := &locked{query: protected}, &locked{query: plain}
	with.run(*lockedFor)
	if n := waiting(t, db); n > 2 { // one in each slot of orders, if that
		t.Errorf("%d queries of ours still wait in the server for the lock", n)
	}
	without.run(*lockedFor)
	lift()
	after := &locked{query: protected}
	time.Sleep(1500 * ms) // the breaker of orders looks again
	after.run(time.Second)
	for _, l := range []struct {
		name string
		*locked
	}{{"before", before}, {"locked, protected", with}, {"locked, bare", without}, {"after", after}} {
		t.Logf("%-18s other queries: %d, %d failed (last: %v), p50 %v, p99 %v; the locked table's: %v",
			l.name, len(l.took), l.failed, l.why, l.p(.5), l.p(.99), l.ours)
	}
	if with.failed > 0 || with.p(.99) > 200*ms {
		t.Errorf("behind the policy %d failed (%v), p99 %v", with.failed, with.why, with.p(.99))
	}
	if without.failed == 0 && without.p(.99) < 500*ms {
		t.Errorf("the bare pool did as well, so that this test shows nothing: p99 %v", without.p(.99))
	}
	if after.ours["answered"] < 10 {
		t.Errorf("after the lock: %v", after.ours)
	}
}

// waiting counts the sessions that wait for a lock, once those that were cut off
// have had a moment to hear of it.
func waiting(t *testing.T, db *DB) (n int) {
	t.Helper()
	for range 20 {
		err := db.QueryRowContext(t.Context(),
			"select count(*) from pg_stat_activity where wait_event_type = 'Lock'").Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		if n <= 2 {
			break
		}
		time.Sleep(50 * ms)
	}
	return n
}

func setup(t *testing.T, db *DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

// lock locks the table orders from a session of its own, and returns how to lift
// that.
func lock(t *testing.T, pg driver.Connector) (lift func()) {
	t.Helper()
	other := sql.OpenDB(pg)
	tx, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("lock table orders in access exclusive mode"); err != nil {
		t.Fatal(err)
	}
	lift = sync.OnceFunc(func() {
		_ = tx.Rollback()
		_ = other.Close()
	})
	t.Cleanup(lift)
	return lift
}

// TestPostgres has a real driver do what the fake one does: transactions with
// one slot, a serialization failure run again, a killed session.
func TestPostgres(t *testing.T) {
	pg := postgres(t)
	db, set := open(t, pg, "{timeout: {acquire: 1s, request: 5s}, bulkhead: {limit: 2}, breaker: {}, "+
		"retry: {attempts: 4, backoff: {base: 5ms, cap: 50ms}, budget: none}}")
	setup(t, db, "create table stock (id int primary key, n int)", "insert into stock values (1, 0)")
	add := func(ctx context.Context, tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, "select n from stock where id = $1", 1).Scan(&n); err != nil {
			return err
		}
		time.Sleep(20 * ms) // so that the two overlap
		_, err := tx.ExecContext(ctx, "update stock set n = $1 where id = 1", n+1)
		return err
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := db.InTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelSerializable}, add); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var n int
	if err := db.QueryRowContext(t.Context(), "select n from stock").Scan(&n); err != nil || n != 2 {
		t.Errorf("two that each add one: %d, %v", n, err)
	}
	prepared, err := db.PrepareContext(t.Context(), "select n from stock where id = $1")
	if err != nil {
		t.Fatal(err)
	}
	if err := prepared.QueryRowContext(t.Context(), 1).Scan(&n); err != nil || n != 2 {
		t.Errorf("prepared: %d, %v", n, err)
	}
	if err := db.DB.QueryRow("select n from stock where id = $1", 1).Scan(&n); err != nil || n != 2 {
		t.Errorf("in the driver: %d, %v", n, err)
	}
	_ = prepared.Close()
	if _, err := db.ExecContext(t.Context(), "insert into stock values (1, 0)"); !errors.As(err, new(stateError)) {
		t.Errorf("a constraint: %v", err)
	}
	_, err = db.ExecContext(t.Context(), "select pg_terminate_backend(pg_backend_pid())")
	if r := Classify(err); !r.Outcome.Failed() {
		t.Errorf("a session that was killed: %v is %v", err, r)
	}
	if err := db.Ping(); err != nil || busy(set) != 0 {
		t.Errorf("after all that: %v, %d slots taken", err, busy(set))
	}
}
