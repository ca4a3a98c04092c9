//go:build race

package bulkhead

// raceDetector makes the long tests shorter: they run ten times slower.
const raceDetector = true
