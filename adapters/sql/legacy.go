package seakeepsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

// What this file does database/sql does for drivers that know no contexts. It
// cannot any more, because it sees our wrappers, which do know them.

func queries(c driver.Conn) bool {
	//lint:ignore SA1019 there are drivers that have nothing newer
	_, old := c.(driver.Queryer)
	_, ok := c.(driver.QueryerContext)
	return ok || old
}

func executes(c driver.Conn) bool {
	//lint:ignore SA1019 there are drivers that have nothing newer
	_, old := c.(driver.Execer)
	_, ok := c.(driver.ExecerContext)
	return ok || old
}

func queryConnection(ctx context.Context, c driver.Conn, query string, args []driver.NamedValue) (
	driver.Rows, error) {
	if q, ok := c.(driver.QueryerContext); ok {
		return q.QueryContext(ctx, query, args)
	}
	values, err := plain(ctx, args)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 there are drivers that have nothing newer
	return c.(driver.Queryer).Query(query, values)
}

func execConnection(ctx context.Context, c driver.Conn, query string, args []driver.NamedValue) (
	driver.Result, error) {
	if e, ok := c.(driver.ExecerContext); ok {
		return e.ExecContext(ctx, query, args)
	}
	values, err := plain(ctx, args)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 there are drivers that have nothing newer
	return c.(driver.Execer).Exec(query, values)
}

func prepare(ctx context.Context, c driver.Conn, query string) (driver.Stmt, error) {
	if p, ok := c.(driver.ConnPrepareContext); ok {
		return p.PrepareContext(ctx, query)
	}
	s, err := c.Prepare(query)
	if err == nil && ctx.Err() != nil {
		_ = s.Close()
		return nil, ctx.Err()
	}
	return s, err
}

func begin(ctx context.Context, c driver.Conn, o driver.TxOptions) (driver.Tx, error) {
	if b, ok := c.(driver.ConnBeginTx); ok {
		return b.BeginTx(ctx, o)
	}
	if sql.IsolationLevel(o.Isolation) != sql.LevelDefault {
		return nil, errors.New("seakeepsql: the driver does not support non-default isolation level")
	}
	if o.ReadOnly {
		return nil, errors.New("seakeepsql: the driver does not support read-only transactions")
	}
	//lint:ignore SA1019 there are drivers that have nothing newer
	t, err := c.Begin()
	if err == nil && ctx.Err() != nil {
		_ = t.Rollback()
		return nil, ctx.Err()
	}
	return t, err
}

func stmtExec(ctx context.Context, s driver.Stmt, args []driver.NamedValue) (driver.Result, error) {
	if e, ok := s.(driver.StmtExecContext); ok {
		return e.ExecContext(ctx, args)
	}
	values, err := plain(ctx, args)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 there are drivers that have nothing newer
	return s.Exec(values)
}

func stmtQuery(ctx context.Context, s driver.Stmt, args []driver.NamedValue) (driver.Rows, error) {
	if q, ok := s.(driver.StmtQueryContext); ok {
		return q.QueryContext(ctx, args)
	}
	values, err := plain(ctx, args)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 there are drivers that have nothing newer
	return s.Query(values)
}

// plain is for calls that take no names and see no context.
func plain(ctx context.Context, args []driver.NamedValue) ([]driver.Value, error) {
	values := make([]driver.Value, len(args))
	for i, a := range args {
		if a.Name != "" {
			return nil, errors.New("seakeepsql: the driver does not support named parameters")
		}
		values[i] = a.Value
	}
	return values, ctx.Err()
}

func converts(s driver.Stmt) bool {
	//lint:ignore SA1019 there are drivers that have nothing newer
	_, ok := s.(driver.ColumnConverter)
	return ok
}

// ColumnConverter implements driver.ColumnConverter.
func (s converting) ColumnConverter(i int) driver.ValueConverter {
	//lint:ignore SA1019 there are drivers that have nothing newer
	return s.Stmt.(driver.ColumnConverter).ColumnConverter(i)
}
