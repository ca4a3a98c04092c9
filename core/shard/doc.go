// Package shard says which endpoints serve a tenant, so that one that does
// harm reaches few of the others (shuffle sharding).
//
// Each key gets size of the n endpoints, and nearly every key another
// combination. A tenant whose requests kill what serves them takes its own
// shard down. Of the other tenants few have that very shard; those that have a
// part of it go on with their other endpoints, if they try again there.
//
// # Algorithm
//
// Rendezvous hashing: every endpoint draws a number from its name and the key,
// and those with the size highest serve the key. The numbers of different keys
// have nothing to do with each other, so all C(n, size) combinations are equally
// likely. An endpoint that comes takes one place in size of n+1 shards; one that
// goes leaves its place to the next in line. No other place changes, and the
// order in which the endpoints are listed does not matter.
//
// Two shards have j endpoints in common with the probability of drawing j of
// size marked ones in size draws from n without putting back:
//
//	P(j) = C(size, j) * C(n-size, size-j) / C(n, size)
//
// # Locking
//
// None: Shards never change.
//
// # Source
//
// "Workload isolation using shuffle-sharding" (Amazon Builders' Library). The
// hash is FNV-1a, and what mixes it the finalizer of MurmurHash3. It is not
// keyed, because everybody has to choose the same shard: who may choose a key
// freely can choose one that shares a victim's shard. Let the key be one that
// was authenticated.
package shard
