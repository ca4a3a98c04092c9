// Package seakeepredis protects a go-redis client by a policy of the file, in
// one of two modes.
//
//	client, hook, err := seakeepredis.NewClient(policies, "sessions-cache",
//		&redis.Options{Addr: addr}, seakeepredis.Cache)
//
// As a Cache, Redis may be slow or gone and nobody waits for it: a read that has
// no answer within 20 ms, or that its policy refuses, is a miss (redis.Nil), a
// value that could not be stored is not stored, and nothing is sent twice. As a
// Store, what Redis holds is needed: errors stay errors, and the policy may send
// reads again.
//
// # How it works
//
// The Hook sits outside of everything that go-redis does for a command: waiting
// for a connection of its pool, dialing, the handshake, the command itself. The
// attempt's limit reaches all of that as the context's deadline, which the
// client must heed (ContextTimeoutEnabled), and go-redis must not retry by
// itself. NewClient and Tune set both; Protect refuses a client that has them
// otherwise.
//
// Commands that wait on purpose, such as BLPOP, go past the ladder. Pub/Sub does
// not come through hooks at all, but for its connections' dialing.
//
// # Locking
//
// A Hook has nothing but counters; all state is the policy's.
package seakeepredis
