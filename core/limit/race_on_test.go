//go:build race

package limit

// raceDetector makes the long tests shorter: they run ten times slower.
const raceDetector = true
