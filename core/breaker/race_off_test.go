//go:build !race

package breaker

const raceDetector = false
