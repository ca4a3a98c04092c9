//go:build race

package explore

// raced: the race detector makes everything several times as slow.
const raced = true
