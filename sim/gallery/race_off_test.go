//go:build !race

package gallery

const raceDetector = false
