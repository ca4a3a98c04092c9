package seakeepsql

import (
	"context"
	"database/sql"
	"testing"
)

// The driver does nothing, so that what is left is database/sql and the policy.
func benchmark(b *testing.B, pick func(*DB) sqlDB, do func(sqlDB) error) {
	f := &quiet{}
	db, _ := open(b, f, "{timeout: {acquire: 500ms, request: 1s}, bulkhead: {limit: 100}, breaker: {}, retry: {attempts: 3}}")
	b.ReportAllocs()
	d := pick(db)
	if d == nil {
		d = sql.OpenDB(f)
		defer d.Close()
	}
	for b.Loop() {
		if err := do(d); err != nil {
			b.Fatalf("%v; %+v", err, db.Stats())
		}
	}
}

func execOnce(db sqlDB) error {
	_, err := db.ExecContext(context.Background(), "update")
	return err
}

func queryOnce(db sqlDB) error {
	rows, err := db.QueryContext(context.Background(), "select")
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	return rows.Close()
}

func front(db *DB) sqlDB { return db }
func back(db *DB) sqlDB  { return db.DB }
func none(*DB) sqlDB     { return nil }

func BenchmarkExecBare(b *testing.B)      { benchmark(b, none, execOnce) }
func BenchmarkExecFront(b *testing.B)     { benchmark(b, front, execOnce) }
func BenchmarkExecInDriver(b *testing.B)  { benchmark(b, back, execOnce) }
func BenchmarkQueryBare(b *testing.B)     { benchmark(b, none, queryOnce) }
func BenchmarkQueryFront(b *testing.B)    { benchmark(b, front, queryOnce) }
func BenchmarkQueryInDriver(b *testing.B) { benchmark(b, back, queryOnce) }
