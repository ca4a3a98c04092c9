//go:build !race

package alerts

const raced = false
