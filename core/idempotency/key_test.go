package idempotency

import (
	"strings"
	"testing"

	"github.com/seakeep/seakeep/core"
)

func TestParseKey(t *testing.T) {
	long := strings.Repeat("k", 255)
	for _, c := range []struct {
		values []string
		key    string
		reason core.Reason
	}{
		{nil, "", core.KeyMissing},
		{[]string{`"8e03978e-40d5-43dd-bc93-6894a57f9324"`}, "8e03978e-40d5-43dd-bc93-6894a57f9324", 0},
		{[]string{`8e03978e-40d5-43dd-bc93-6894a57f9324`}, "8e03978e-40d5-43dd-bc93-6894a57f9324", 0},
		{[]string{" \tk\t "}, "k", 0},
		{[]string{` "k" `}, "k", 0},
		{[]string{`"a,b;c"`}, "a,b;c", 0},
		{[]string{`"a\"b\\c"`}, `a"b\c`, 0},
		{[]string{`"\\"`}, `\`, 0},
		{[]string{long}, long, 0},
		{[]string{`"` + long + `"`}, long, 0},
		// No key, or one that is not.
		{[]string{""}, "", core.KeyInvalid},
		{[]string{" "}, "", core.KeyInvalid},
		{[]string{`""`}, "", core.KeyInvalid},
		{[]string{`"`}, "", core.KeyInvalid},
		{[]string{`"k`}, "", core.KeyInvalid},
		{[]string{`k"`}, "", core.KeyInvalid},
		{[]string{`"a"b"`}, "", core.KeyInvalid},
		{[]string{`"a\"`}, "", core.KeyInvalid},
		{[]string{`"a\b"`}, "", core.KeyInvalid},
		{[]string{`"k";p=1`}, "", core.KeyInvalid},
		{[]string{`"a", "b"`}, "", core.KeyInvalid},
		{[]string{"a, b"}, "", core.KeyInvalid},
		{[]string{"a;b"}, "", core.KeyInvalid},
		{[]string{`a\b`}, "", core.KeyInvalid},
		{[]string{"a b"}, "", core.KeyInvalid},
		{[]string{`"a b"`}, "", core.KeyInvalid},
		{[]string{"clé"}, "", core.KeyInvalid},
		{[]string{"a\x7f"}, "", core.KeyInvalid},
		{[]string{"a\x00"}, "", core.KeyInvalid},
		{[]string{long + "k"}, "", core.KeyInvalid},
		{[]string{`"` + long + `k"`}, "", core.KeyInvalid},
		{[]string{"a", "b"}, "", core.KeyInvalid},
		{[]string{"a", "a"}, "", core.KeyInvalid},
	} {
		if key, reason := ParseKey(c.values); key != c.key || reason != c.reason {
			t.Errorf("%q reads as %q, %v, want %q, %v", c.values, key, reason, c.key, c.reason)
		}
	}
}

// Whatever is sent, the key is one, and written down again it is the same one.
func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"", "k", `"k"`, `"a\"b\\c"`, `"a`, "a,b", "\xff", `"\`, `"\\"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		key, reason := ParseKey([]string{value})
		switch reason {
		case core.NoReason:
			if len(key) < 1 || len(key) > 255 || strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }) {
				t.Errorf("%q gives the key %q", value, key)
			}
		case core.KeyInvalid:
			if key != "" {
				t.Errorf("%q is invalid and gives %q", value, key)
			}
		default:
			t.Errorf("%q: %v", value, reason)
		}
		if reason == core.NoReason {
			quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
			if again, reason := ParseKey([]string{quoted}); again != key || reason != core.NoReason {
				t.Errorf("%q gives %q, which written as %s gives %q, %v", value, key, quoted, again, reason)
			}
		}
	})
}

func TestAKeyIsReadAsItIsWritten(t *testing.T) {
	for key, want := range map[string]string{"k": `"k"`, `"k"`: `"k"`, `a"b\c`: `"a\"b\\c"`, `"`: `"\""`} {
		got := FormatKey(key)
		if got != want {
			t.Errorf("%s is written as %s", key, got)
		}
		read, _ := ParseKey([]string{got})
		if key != `"k"` && read != key {
			t.Errorf("%s is read as %s", got, read)
		}
	}
}
