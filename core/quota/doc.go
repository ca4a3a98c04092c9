// Package quota gives tenants small numbers, so that what others keep for each
// of them is bounded however many there are.
//
// One tenant's flood must not take what all share. Whoever bounds a tenant has
// to know which requests are its own, and a table from the keys that requests
// bring to what is counted for them grows with every key an attacker invents.
// This table has a limit and says what happens at it.
//
// # Algorithm
//
// Enter gives a key its number and counts one request more; Leave counts it
// out. A key with requests here keeps its number. A key without any is idle,
// and its number is given away only when a new key finds the table full: that
// of the key which has been idle longest. So a number always means one tenant
// to whoever holds something under it, as long as what is held is held between
// Enter and Leave.
//
// When the table is full and nobody is idle, a new key gets Overflow, a number
// that all such keys share: nobody is refused for being new, and together they
// have what one tenant has. The same holds for keys above 256 bytes. Number 0
// is for requests without a key; it is nobody's, and has no bounds.
//
// # Locking
//
// One mutex around the machine, held for a map lookup.
//
// # Source
//
// Ours. Fair shares per tenant by counting what is under way, and a class of
// their own for those that cannot be told apart, are what fair queueing does
// with flows.
package quota
