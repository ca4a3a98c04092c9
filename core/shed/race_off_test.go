//go:build !race

package shed

const raceDetector = false
