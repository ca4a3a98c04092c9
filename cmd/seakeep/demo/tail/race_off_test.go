//go:build !race

package tail

const raced = false
