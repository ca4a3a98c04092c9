//go:build race

package sim

// raced: the race detector makes everything several times as slow.
const raced = true
