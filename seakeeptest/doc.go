// Package seakeeptest helps to test programs that use Seakeep, and policies
// themselves, with go test.
//
//   - Backend is an HTTP server that answers by a script and records what it was
//     asked: over real sockets, or in memory, where it works in the fake time of
//     package testing/synctest.
//   - Script is the same for a function that is called through seakeep.Do.
//   - Simulate runs a scenario file in the simulator and gives its figures, so
//     that a test can say what a policy must survive.
//
// For example:
//
//	func TestPricingMayTakeTwoSeconds(t *testing.T) {
//		f := seakeeptest.Simulate(t, "testdata/slow-pricing.yaml")
//		f.Want("endpoints.pricing.success > 99%")
//	}
//
// The page docs/testing-your-policy.md goes through all of them.
package seakeeptest
