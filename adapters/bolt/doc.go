// Package bolt keeps idempotency keys in a file, so that they outlive the
// process: it is an idempotency.Store on bbolt. Budgets keeps what was counted of
// objectives in a file of its own.
//
// A claim is on the disk before its write runs. When the process dies with
// writes under way, their claims are found when the file is opened again, and
// become Unknown: nobody can tell how those writes ended, and none is repeated
// on a guess. One process at a time can have the file open, which is why a
// claim that is found Running belongs to a dead one.
//
// # Algorithm
//
// One goroutine writes. It takes all changes that have come since its last
// commit and commits them together, so that under load many requests share the
// two flushes that a commit takes, and a single one waits for nobody. A look at
// a key that is taken, such as for a replay, is a read and waits for no flush.
//
// Two buckets hold a record for each key, and the keys by the time at which
// something becomes of them. What the bounds need is counted in memory, and
// counted anew from the file when it is opened.
//
// # Locking
//
// The writer owns the counts, and shares them under a mutex. Readers use
// bbolt's transactions.
package bolt
