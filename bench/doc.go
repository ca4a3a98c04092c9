// Bench measures Seakeep beside its peers, in one process: failsafe-go,
// gobreaker, backoff and x/sync. It is a module of its own, so that the peers'
// requirements reach nobody who imports Seakeep. README.md explains the method
// and keeps the last table.
//
//	go run ./bench -run '^f' -rounds 21
//
// # Reading
//
// rows.go lists what is measured, one row_*.go each. measure.go runs it,
// summary.go turns rounds into medians, targets.go says what we must reach,
// table.go prints.
package main
