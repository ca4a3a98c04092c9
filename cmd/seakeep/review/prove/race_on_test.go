//go:build race

package prove

// raced: under the race detector a scenario takes twenty times as long.
const raced = true
