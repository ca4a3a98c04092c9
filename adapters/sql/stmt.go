package seakeepsql

import (
	"context"
	"database/sql/driver"
)

// stmt is a prepared statement of a connection that knows the ladder.
type stmt struct {
	driver.Stmt
	c *conn
}

// converting is a stmt whose driver converts values by column. That is a type of
// its own because database/sql does something else for one that does not.
type converting struct{ *stmt }

func wrapStmt(inner driver.Stmt, c *conn) driver.Stmt {
	s := &stmt{inner, c}
	if converts(inner) {
		return converting{s}
	}
	return s
}

// Exec implements driver.Stmt.
func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(args))
}

// Query implements driver.Stmt.
func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(args))
}

// ExecContext implements driver.StmtExecContext.
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.c.result(ctx, func(ctx context.Context) (driver.Result, error) {
		return stmtExec(ctx, s.Stmt, args)
	})
}

// QueryContext implements driver.StmtQueryContext.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.c.rows(ctx, func(ctx context.Context) (driver.Rows, error) {
		return stmtQuery(ctx, s.Stmt, args)
	})
}

// CheckNamedValue implements driver.NamedValueChecker: the statement's own, or
// else the connection's, as database/sql would choose.
func (s *stmt) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := s.Stmt.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return s.c.CheckNamedValue(v)
}

func named(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, v := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out
}
