// Package search asks the simulator questions that take many runs: where the
// cliff is (Edge), what a change of policy is worth (Compare), and whether a
// system that tipped over comes back (Metastable).
//
// All of them use common random numbers: the runs that are compared have the
// same arrivals and the same service times, request by request, so that a
// difference is the doing of what was varied. Nothing here starts a goroutine;
// a Runner may, because runs are independent.
package search
