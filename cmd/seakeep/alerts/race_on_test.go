//go:build race

package alerts

// raced: the race detector makes everything several times as slow.
const raced = true
