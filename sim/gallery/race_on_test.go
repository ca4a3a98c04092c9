//go:build race

package gallery

// raceDetector leaves the slow cards out: they run ten times slower.
const raceDetector = true
