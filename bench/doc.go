// Package bench measures Seakeep beside its peers, in one process. It is a
// module of its own so that the peers' requirements reach nobody who imports
// Seakeep.
package bench
