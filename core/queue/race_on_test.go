//go:build race

package queue

// raceDetector makes the long tests shorter: they run ten times slower.
const raceDetector = true
