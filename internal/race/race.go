// Package race tells tests whether the race detector watches them. It makes
// everything several times as slow, and a test of one goroutine gains nothing from
// it. The Makefile runs those again without it: "make unit" has the list.
package race

import "testing"

// OneGoroutine skips the test under the race detector, which would see nothing in
// it that it does not see in quicker ones.
func OneGoroutine(t testing.TB) {
	if Enabled {
		t.Skip("long, and of one goroutine: it runs without the race detector")
	}
}
