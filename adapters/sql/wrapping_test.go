package seakeepsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

// The kinds of drivers: what each leaves out is what its wrapper must not add.
type (
	queryOnly struct {
		bareConn
		q *fullConn
	}
	execOnly struct {
		bareConn
		e *fullConn
	}
	oldConn    struct{ bareConn } // has the interfaces from before contexts
	skipConn   struct{ *fullConn }
	namedConn  struct{ bareConn } // has a checker of values and no queries
	columnConn struct{ bareConn } // its statements convert by column
	columnStmt struct{ bareStmt }
	pooledConn struct{ bareConn } // validates and resets
)

func (c queryOnly) QueryContext(ctx context.Context, q string, a []driver.NamedValue) (driver.Rows, error) {
	return c.q.QueryContext(ctx, q, a)
}
func (c execOnly) ExecContext(ctx context.Context, q string, a []driver.NamedValue) (driver.Result, error) {
	return c.e.ExecContext(ctx, q, a)
}
func (c oldConn) Query(q string, a []driver.Value) (driver.Rows, error) {
	c.f.note("old query %s %v", q, a)
	return &bareRows{f: c.f, left: c.f.rows}, nil
}
func (c oldConn) Exec(q string, a []driver.Value) (driver.Result, error) {
	c.f.note("old exec %s %v", q, a)
	return driver.RowsAffected(4), nil
}
func (c skipConn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return nil, driver.ErrSkip
}
func (c skipConn) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return nil, driver.ErrSkip
}
func (c namedConn) CheckNamedValue(v *driver.NamedValue) error {
	v.Value = fmt.Sprint("checked ", v.Value)
	return nil
}
func (c columnConn) Prepare(q string) (driver.Stmt, error) {
	return columnStmt{bareStmt{c.f, q}}, nil
}
func (s columnStmt) ColumnConverter(int) driver.ValueConverter { return driver.String }
func (s columnStmt) NumInput() int                             { return 1 }
func (c pooledConn) ResetSession(context.Context) error        { c.f.note("reset"); return nil }
func (c pooledConn) IsValid() bool                             { c.f.note("valid?"); return true }

// uses is what a program does with a database; what it gets to see is written
// down beside what the driver was asked.
var uses = map[string]func(ctx context.Context, db sqlDB, see func(...any)){
	"exec": func(ctx context.Context, db sqlDB, see func(...any)) {
		r, err := db.ExecContext(ctx, "insert", 7)
		see(err)
		if err == nil {
			see(r.RowsAffected())
		}
	},
	"exec named": func(ctx context.Context, db sqlDB, see func(...any)) {
		_, err := db.ExecContext(ctx, "insert", sql.Named("n", 7))
		see(err != nil)
	},
	"odd value": func(ctx context.Context, db sqlDB, see func(...any)) {
		_, err := db.ExecContext(ctx, "insert", struct{}{})
		see(err)
	},
	"query": func(ctx context.Context, db sqlDB, see func(...any)) {
		rows, err := db.QueryContext(ctx, "select", "x")
		see(err)
		if err != nil {
			return
		}
		types, err := rows.ColumnTypes()
		see(err)
		for _, c := range types {
			see(c.ScanType(), c.DatabaseTypeName())
			see(c.Length())
			see(c.Nullable())
			see(c.DecimalSize())
		}
		for rows.Next() {
			var n int
			see(rows.Scan(&n), n)
		}
		see(rows.NextResultSet(), rows.Err(), rows.Close(), rows.Err())
	},
	"left early": func(ctx context.Context, db sqlDB, see func(...any)) {
		rows, err := db.QueryContext(ctx, "select")
		see(err)
		if err == nil {
			see(rows.Next(), rows.Close(), rows.Err())
		}
	},
	"row": func(ctx context.Context, db sqlDB, see func(...any)) {
		var n int
		see(db.QueryRowContext(ctx, "select").Scan(&n), n)
	},
	"prepared": func(ctx context.Context, db sqlDB, see func(...any)) {
		s, err := db.PrepareContext(ctx, "select")
		see(err)
		if err != nil {
			return
		}
		_, err = s.ExecContext(ctx, 5)
		see(err)
		var n int
		see(s.QueryRowContext(ctx, 5).Scan(&n), n, s.Close())
	},
	"transaction": func(ctx context.Context, db sqlDB, see func(...any)) {
		tx, err := db.BeginTx(ctx, nil)
		see(err)
		if err != nil {
			return
		}
		_, err = tx.ExecContext(ctx, "update", 1)
		see(err, tx.Commit(), tx.Rollback())
	},
	"serializable": func(ctx context.Context, db sqlDB, see func(...any)) {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true})
		see(err != nil)
		if err == nil {
			see(tx.Rollback())
		}
	},
	"ping": func(ctx context.Context, db sqlDB, see func(...any)) { see(db.PingContext(ctx)) },
}

// sqlDB is what DB and sql.DB have in common.
type sqlDB interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
	PrepareContext(context.Context, string) (*sql.Stmt, error)
	BeginTx(context.Context, *sql.TxOptions) (*sql.Tx, error)
	PingContext(context.Context) error
	Close() error
}

// TestNothingIsLost holds a database behind a policy against one without: the
// driver is asked the same things, and the program sees the same answers.
func TestNothingIsLost(t *testing.T) {
	full := func(f *fake) *fullConn { return &fullConn{bareConn{f}} }
	kinds := map[string]func(*fake) driver.Conn{
		"full":    nil,
		"bare":    func(f *fake) driver.Conn { return bareConn{f} },
		"queries": func(f *fake) driver.Conn { return queryOnly{bareConn{f}, full(f)} },
		"execs":   func(f *fake) driver.Conn { return execOnly{bareConn{f}, full(f)} },
		"old":     func(f *fake) driver.Conn { return oldConn{bareConn{f}} },
		"skips":   func(f *fake) driver.Conn { return skipConn{full(f)} },
		"named":   func(f *fake) driver.Conn { return namedConn{bareConn{f}} },
		"columns": func(f *fake) driver.Conn { return columnConn{bareConn{f}} },
		"pooled":  func(f *fake) driver.Conn { return pooledConn{bareConn{f}} },
	}
	const settings = "{bulkhead: {limit: 3}, breaker: {}, timeout: {request: 10s, acquire: 1s}}"
	for kind, conn := range kinds {
		for name, use := range uses {
			run := func(db sqlDB, f *fake) string {
				var seen strings.Builder
				for range 2 { // the second time on a connection that was used
					use(t.Context(), db, func(v ...any) { fmt.Fprintln(&seen, v...) })
				}
				_ = db.Close()
				f.mu.Lock()
				defer f.mu.Unlock()
				out := seen.String() + strings.Join(f.log, "\n")
				return strings.ReplaceAll(out, "seakeepsql: the driver", "sql: driver")
			}
			fakes := [3]*fake{}
			for i := range fakes {
				fakes[i] = &fake{rows: 2, make: conn}
			}
			want := run(sql.OpenDB(fakes[0]), fakes[0])
			front, _ := open(t, fakes[1], settings)
			if got := run(front, fakes[1]); got != want {
				t.Errorf("%s, %s: behind the policy:\n%s\nwithout:\n%s", kind, name, got, want)
			}
			back, _ := open(t, fakes[2], settings)
			if got := run(back.DB, fakes[2]); got != want {
				t.Errorf("%s, %s: in the driver:\n%s\nwithout:\n%s", kind, name, got, want)
			}
		}
	}
}

// TestRollbackKeepsWhatItKept has a context end a transaction, after which
// database/sql keeps the connections of some drivers and not of others.
func TestRollbackKeepsWhatItKept(t *testing.T) {
	for _, conn := range []func(*fake) driver.Conn{nil, func(f *fake) driver.Conn { return bareConn{f} },
		func(f *fake) driver.Conn { return pooledConn{bareConn{f}} }} {
		synctest.Test(t, func(t *testing.T) {
			left := func(db sqlDB, f *fake) int {
				ctx, cancel := context.WithCancel(t.Context())
				if _, err := db.BeginTx(ctx, nil); err != nil {
					t.Fatal(err)
				}
				cancel()
				synctest.Wait()
				opened, closed := f.count()
				_ = db.Close()
				return opened - closed
			}
			with, without := &fake{make: conn}, &fake{make: conn}
			db, _ := open(t, with, "{bulkhead: {limit: 1}}")
			if got, want := left(db, with), left(sql.OpenDB(without), without); got != want {
				t.Errorf("%d connections left behind the policy, %d without", got, want)
			}
		})
	}
}

// TestUnwrap finds the driver's own connection.
func TestUnwrap(t *testing.T) {
	db, _ := open(t, &fake{}, "{bulkhead: {limit: 3}}")
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Raw(func(dc any) error {
		if _, ok := Unwrap(dc).(*fullConn); !ok {
			return fmt.Errorf("it is a %T", Unwrap(dc))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
