package seakeepsql

import (
	"database/sql/driver"
	"io"
	"reflect"
)

// rows keep their call's hold until they are closed. What a driver may leave out
// is answered as database/sql would by itself.
type rows struct {
	driver.Rows
	c      *conn
	h      *hold
	failed error // why reading broke off
}

// Next implements driver.Rows.
func (r *rows) Next(dest []driver.Value) error { return r.saw(r.Rows.Next(dest)) }

func (r *rows) saw(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	r.failed = r.c.done(r.h, err)
	return r.failed
}

// Close implements driver.Rows. Rows that a context has closed before their end
// leave a connection behind on which more may come.
func (r *rows) Close() error {
	if ended := r.h.leash.Err(); ended != nil {
		r.c.spoiled = true
		if r.failed == nil {
			r.failed = ended
		}
	}
	err := r.Rows.Close()
	if r.failed == nil {
		r.failed = err
	}
	if r.failed != nil && r.h.inTx && r.c.tx != nil {
		r.c.tx.saw(r.failed)
	}
	r.h.end(Classify(r.failed).Outcome)
	return err
}

// HasNextResultSet implements driver.RowsNextResultSet.
func (r *rows) HasNextResultSet() bool {
	n, ok := r.Rows.(driver.RowsNextResultSet)
	return ok && n.HasNextResultSet()
}

// NextResultSet implements driver.RowsNextResultSet.
func (r *rows) NextResultSet() error {
	if n, ok := r.Rows.(driver.RowsNextResultSet); ok {
		return r.saw(n.NextResultSet())
	}
	return io.EOF
}

// ColumnTypeScanType implements driver.RowsColumnTypeScanType.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	if t, ok := r.Rows.(driver.RowsColumnTypeScanType); ok {
		return t.ColumnTypeScanType(i)
	}
	return reflect.TypeFor[any]()
}

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	if t, ok := r.Rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return t.ColumnTypeDatabaseTypeName(i)
	}
	return ""
}

// ColumnTypeLength implements driver.RowsColumnTypeLength.
func (r *rows) ColumnTypeLength(i int) (int64, bool) {
	if t, ok := r.Rows.(driver.RowsColumnTypeLength); ok {
		return t.ColumnTypeLength(i)
	}
	return 0, false
}

// ColumnTypeNullable implements driver.RowsColumnTypeNullable.
func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) {
	if t, ok := r.Rows.(driver.RowsColumnTypeNullable); ok {
		return t.ColumnTypeNullable(i)
	}
	return false, false
}

// ColumnTypePrecisionScale implements driver.RowsColumnTypePrecisionScale.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	if t, ok := r.Rows.(driver.RowsColumnTypePrecisionScale); ok {
		return t.ColumnTypePrecisionScale(i)
	}
	return 0, 0, false
}
