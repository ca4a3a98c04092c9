//go:build race

package shed

// raceDetector leaves the long simulations out: they run many times slower, on
// one goroutine.
const raceDetector = true
