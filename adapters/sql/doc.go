// Package seakeepsql protects a database behind database/sql by a policy of the
// file: queries, statements, pings and transactions meet the same deadline,
// bulkhead, breaker and retry budget as every other call.
//
//	db, err := seakeepsql.Open(policies, "orders", connector)
//	...
//	rows, err := db.QueryContext(ctx, "select id from orders where state = $1", "open")
//
// # Two doors
//
// DB is a *sql.DB with a ladder in front: its own methods enter the ladder
// before they ask the pool for a connection, so that the wait for one has a
// limit of its own. Its field DB is the plain *sql.DB, for libraries that want
// one. What comes through that, through a prepared statement or a pinned
// connection, enters the ladder in the driver, when the pool has given out its
// connection already. Nothing enters twice: a call carries its ticket in its
// context, and what is done on a connection within a transaction is part of the
// transaction's call.
//
// # What is held, and for how long
//
// A slot of the bulkhead is held until the work has truly ended: until Rows are
// closed, a transaction is committed or rolled back, a statement has returned.
// A connection on which our limit has cut something off is not used again: the
// late answer of the one could be read as the answer of another.
//
// # Locking
//
// database/sql uses one connection from one goroutine at a time, and the
// wrappers rely on that. What the ladder and a connection share is a hold,
// which has a mutex; no driver is called under it.
package seakeepsql
