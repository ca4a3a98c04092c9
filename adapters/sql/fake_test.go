package seakeepsql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a database whose driver has everything, and writes down what is asked.
type fake struct {
	do   func(ctx context.Context, query string) error // what a statement does; nil: nothing
	make func(*fake) driver.Conn                       // nil: a fullConn
	rows int                                           // a query has

	mu     sync.Mutex
	log    []string
	conns  int
	closed int
}

func (f *fake) note(format string, args ...any) {
	f.mu.Lock()
	f.log = append(f.log, fmt.Sprintf(format, args...))
	f.mu.Unlock()
}

func (f *fake) count() (opened, closed int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.conns, f.closed
}

func (f *fake) Connect(ctx context.Context) (driver.Conn, error) {
	f.note("connect")
	if err := f.run(ctx, "connect"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.conns++
	f.mu.Unlock()
	if f.make != nil {
		return f.make(f), nil
	}
	return &fullConn{bareConn{f}}, nil
}

func (f *fake) Driver() driver.Driver { return fakeDriver{} }

type fakeDriver struct{}

func (fakeDriver) Open(string) (driver.Conn, error) { return nil, errors.New("not this way") }

func (f *fake) run(ctx context.Context, what string) error {
	if f.do == nil {
		return nil
	}
	return f.do(ctx, what)
}

// bareConn has what a driver must have and no more.
type bareConn struct{ f *fake }

func (c bareConn) Prepare(q string) (driver.Stmt, error) {
	c.f.note("prepare %s", q)
	return bareStmt{c.f, q}, c.f.run(context.Background(), "prepare")
}
func (c bareConn) Close() error {
	c.f.note("close")
	c.f.mu.Lock()
	c.f.closed++
	c.f.mu.Unlock()
	return nil
}
func (c bareConn) Begin() (driver.Tx, error) {
	c.f.note("begin")
	return fakeTx(c), c.f.run(context.Background(), "begin")
}

type fakeTx struct{ f *fake }

func (t fakeTx) Commit() error {
	t.f.note("commit")
	return t.f.run(context.Background(), "commit")
}
func (t fakeTx) Rollback() error { t.f.note("rollback"); return nil }

type bareStmt struct {
	f *fake
	q string
}

func (s bareStmt) Close() error  { s.f.note("stmt close"); return nil }
func (s bareStmt) NumInput() int { return -1 }
func (s bareStmt) Exec(args []driver.Value) (driver.Result, error) {
	s.f.note("stmt exec %v", args)
	return driver.RowsAffected(1), s.f.run(context.Background(), s.q)
}
func (s bareStmt) Query(args []driver.Value) (driver.Rows, error) {
	s.f.note("stmt query %v", args)
	return &bareRows{f: s.f, left: s.f.rows}, s.f.run(context.Background(), s.q)
}

type bareRows struct {
	f    *fake
	left int
}

func (r *bareRows) Columns() []string { return []string{"a"} }
func (r *bareRows) Close() error      { r.f.note("rows close"); return nil }
func (r *bareRows) Next(dest []driver.Value) error {
	if r.left == 0 {
		return io.EOF
	}
	r.left--
	dest[0] = int64(r.left)
	return r.f.run(context.Background(), "next")
}

// fullConn has everything.
type fullConn struct{ bareConn }

func (c *fullConn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	c.f.note("query %s %v", q, args)
	if err := c.f.run(ctx, q); err != nil {
		return nil, err
	}
	return &fullRows{bareRows{f: c.f, left: c.f.rows}}, nil
}
func (c *fullConn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Result, error) {
	c.f.note("exec %s %v", q, args)
	return driver.RowsAffected(2), c.f.run(ctx, q)
}
func (c *fullConn) PrepareContext(ctx context.Context, q string) (driver.Stmt, error) {
	c.f.note("prepare context %s", q)
	return fullStmt{bareStmt{c.f, q}}, c.f.run(ctx, "prepare")
}
func (c *fullConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	c.f.note("begin tx %v", o)
	return fakeTx{c.f}, c.f.run(ctx, "begin")
}
func (c *fullConn) Ping(ctx context.Context) error { c.f.note("ping"); return c.f.run(ctx, "ping") }
func (c *fullConn) ResetSession(context.Context) error {
	c.f.note("reset")
	return nil
}
func (c *fullConn) IsValid() bool { c.f.note("valid?"); return true }
func (c *fullConn) CheckNamedValue(v *driver.NamedValue) error {
	c.f.note("check %v", v.Value)
	return nil
}

type fullStmt struct{ bareStmt }

func (s fullStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	s.f.note("stmt exec context %v", args)
	return driver.RowsAffected(3), s.f.run(ctx, s.q)
}
func (s fullStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.f.note("stmt query context %v", args)
	return &fullRows{bareRows{f: s.f, left: s.f.rows}}, s.f.run(ctx, s.q)
}
func (s fullStmt) CheckNamedValue(v *driver.NamedValue) error {
	s.f.note("stmt check %v", v.Value)
	return driver.ErrSkip
}
func (s fullStmt) ColumnConverter(i int) driver.ValueConverter {
	s.f.note("converter %d", i)
	return driver.String
}

type fullRows struct{ bareRows }

func (r *fullRows) HasNextResultSet() bool                     { r.f.note("more sets?"); return true }
func (r *fullRows) NextResultSet() error                       { r.f.note("next set"); return io.EOF }
func (r *fullRows) ColumnTypeScanType(int) reflect.Type        { return reflect.TypeFor[int64]() }
func (r *fullRows) ColumnTypeDatabaseTypeName(int) string      { return "INT8" }
func (r *fullRows) ColumnTypeLength(int) (int64, bool)         { return 8, true }
func (r *fullRows) ColumnTypeNullable(int) (nullable, ok bool) { return true, true }
func (r *fullRows) ColumnTypePrecisionScale(int) (int64, int64, bool) {
	return 10, 2, true
}

// open puts a database behind dependency db of a file.
func open(t testing.TB, f driver.Connector, settings string) (*DB, *seakeep.Set) {
	t.Helper()
	file, err := config.Parse("test.yaml", []byte("version: 1\nservice: test\ndependencies:\n  db: "+settings+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := seakeep.NewSet(file, seakeep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(set, "db", f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db, set
}

// busy is how many slots of the dependency's bulkhead are taken.
func busy(set *seakeep.Set) int {
	return set.MustPolicy("db").Snapshot().Bulkhead.InUse
}

// hang waits for the context to end.
func hang(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// stateOf is the error of a database that knows SQLSTATE.
type stateOf string

func (s stateOf) Error() string    { return "state " + string(s) }
func (s stateOf) SQLState() string { return string(s) }

const ms = time.Millisecond

// quiet is a database that does nothing and writes nothing down.
type quiet struct{}

func (*quiet) Connect(context.Context) (driver.Conn, error) { return quietConn{}, nil }
func (*quiet) Driver() driver.Driver                        { return fakeDriver{} }

type quietConn struct{}

func (quietConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not prepared") }
func (quietConn) Close() error                        { return nil }
func (quietConn) Begin() (driver.Tx, error)           { return nil, errors.New("not begun") }
func (quietConn) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), nil
}
func (quietConn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return quietRows{}, nil
}

type quietRows struct{}

func (quietRows) Columns() []string         { return nil }
func (quietRows) Close() error              { return nil }
func (quietRows) Next([]driver.Value) error { return io.EOF }
