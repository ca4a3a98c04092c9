//go:build race

package breaker

// raceDetector makes the long tests shorter: they run ten times slower.
const raceDetector = true
