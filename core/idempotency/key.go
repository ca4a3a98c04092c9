package idempotency

import (
	"strings"

	"github.com/seakeep/seakeep/core"
)

// maxKey is how long a key may be, as payment services have it.
const maxKey = 255

// ParseKey reads the values of the Idempotency-Key field, one for each time it
// was sent. It returns the key and NoReason, or KeyMissing without a value, or
// KeyInvalid.
//
// A key is 1 to 255 visible ASCII characters. It is written as a structured
// field's String, "in quotes", or bare, as many clients have it; "k" and k are
// the same key. Bare, it cannot have quotes, backslashes, commas or semicolons:
// two fields that somebody joined on the way must not become one key.
func ParseKey(values []string) (string, core.Reason) {
	if len(values) == 0 {
		return "", core.KeyMissing
	}
	text := strings.Trim(values[0], " \t")
	key, ok := text, true
	if strings.HasPrefix(text, `"`) {
		key, ok = unquote(text[1:])
	} else if strings.ContainsAny(text, `"\,;`) {
		ok = false
	}
	if len(values) > 1 || !ok || len(key) < 1 || len(key) > maxKey || !visible(key) {
		return "", core.KeyInvalid
	}
	return key, core.NoReason
}

// FormatKey writes a key as a client sends it: as a String of a structured field
// (RFC 8941). A key that is written so already stays as it is.
func FormatKey(key string) string {
	if len(key) > 1 && key[0] == '"' && key[len(key)-1] == '"' {
		return key
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}

// unquote reads what follows the opening quote, up to the closing one, which
// must be the end.
func unquote(text string) (string, bool) {
	end := len(text) - 1
	if end < 0 || text[end] != '"' {
		return "", false
	}
	if !strings.ContainsAny(text[:end], `"\`) {
		return text[:end], true
	}
	var key []byte
	for i := 0; i < end; i++ {
		switch text[i] {
		case '"':
			return "", false
		case '\\':
			i++
			if i == end || text[i] != '"' && text[i] != '\\' {
				return "", false
			}
		}
		key = append(key, text[i])
	}
	return string(key), true
}

func visible(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return true
}
