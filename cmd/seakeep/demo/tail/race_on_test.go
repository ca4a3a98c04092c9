//go:build race

package tail

// raced: the race detector makes everything several times as slow.
const raced = true
