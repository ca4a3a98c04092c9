//go:build race

package search

// raced: the race detector makes everything several times as slow.
const raced = true
