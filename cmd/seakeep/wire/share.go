package wire

// What follows is for those who read the other side's messages: what a field, a
// length and a chunk look like is decided in one place.

// IsToken reports whether text can be a method or a field's name.
func IsToken(text string) bool { return len(text) > 0 && allOf(text, tokenChar) }

// IsValue reports whether text can be a field's value: it holds no control
// characters other than tabs.
func IsValue(text string) bool { return allOf(text, valueChar) }

// IsTarget reports whether text has only what may be in a request's target.
func IsTarget(text string) bool { return len(text) > 0 && allOf(text, targetChar) }

// IsHost reports whether text has only what may be in a Host.
func IsHost(text string) bool { return allOf(text, hostChar) }

func allOf(text string, kind uint8) bool {
	for i := range len(text) {
		if chars[text[i]]&kind == 0 {
			return false
		}
	}
	return true
}

// Decimal reads digits alone, up to what an int64 can hold.
func Decimal(text []byte) (n uint64, ok bool) { return decimal(text) }

// ChunkSize reads the line before a chunk without its end: up to fifteen
// hexadecimal digits, and perhaps extensions, which are not looked into.
func ChunkSize(line []byte) (size uint64, ok bool) {
	size, r := chunkSize(line)
	return size, r == nil
}
