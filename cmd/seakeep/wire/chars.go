package wire

import "bytes"

// What a byte may be a part of.
const (
	tokenChar  = 1 << iota // a method or a field's name
	valueChar              // a field's value, or a chunk's extension
	targetChar             // a request's target
	hostChar               // a Host
)

const noDigit = 0xff

// chars and hexDigits are tables because every byte of every head is looked up.
var (
	chars     = charTable()
	hexDigits = hexTable()
)

func charTable() (t [256]uint8) {
	for c := range t {
		control := c < ' ' || c == 0x7f
		if !control || c == '\t' {
			t[c] |= valueChar
		}
		if !control && c != ' ' {
			t[c] |= targetChar
		}
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' && c < 0x80
		if letter || '0' <= c && c <= '9' {
			t[c] |= tokenChar
		}
	}
	for _, c := range []byte("!#$%&'*+-.^_`|~") {
		t[c] |= tokenChar
	}
	for c := range t { // letters and digits are in a name, and in a Host
		if t[c]&tokenChar != 0 && bytes.IndexByte([]byte("#^`|"), byte(c)) < 0 {
			t[c] |= hostChar
		}
	}
	for _, c := range []byte("(),:;=[]") {
		t[c] |= hostChar
	}
	return t
}

func hexTable() (t [256]uint8) {
	for c := range t {
		t[c] = noDigit
	}
	for d, c := range []byte("0123456789abcdef") {
		t[c] = uint8(d)
	}
	for d, c := range []byte("ABCDEF") {
		t[c] = uint8(10 + d)
	}
	return t
}

// text is bytes as they were read, or as net/http has them.
type text interface{ ~string | ~[]byte }

func allToken[T text](text T) bool { return len(text) > 0 && all(text, tokenChar) }

func allValue[T text](text T) bool { return all(text, valueChar) }

func allHost[T text](text T) bool { return all(text, hostChar) }

func allTarget[T text](text T) bool { return all(text, targetChar) }

func all[T text](text T, kind uint8) bool {
	for i := range len(text) {
		if chars[text[i]]&kind == 0 {
			return false
		}
	}
	return true
}
