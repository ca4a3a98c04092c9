package config

import "testing"

// Each key is where somebody would look for it, through anchors and short forms.
func TestPlaces(t *testing.T) {
	const text = `version: 1
service: s
dependencies:
  a:
    timeout: &times {request: 1s, total: 2s}
    breaker: {open: 5s}
    fallback:
      - omit: {}
    operations:
      - name: search
        timeout: {request: 3s}
  b.c:
    timeout: *times
  d:
    timeout:
      <<: *times
      total: 4s
`
	f, err := Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	places := f.Places()
	for _, c := range []struct {
		path         string
		line, column int
		written      bool
	}{
		{"dependencies.a", 4, 3, true},
		{"dependencies.a.timeout", 5, 5, true},
		{"dependencies.a.timeout.request", 5, 31, true},
		{"dependencies.a.timeout.connect", 5, 5, false},
		{"dependencies.a.retry.attempts", 4, 3, false},
		{"dependencies.a.breaker.open.for", 6, 21, true},
		{"dependencies.a.breaker.open.jitter", 6, 21, false},
		{"dependencies.a.fallback.order.0.omit", 8, 9, true},
		{"dependencies.a.operations.search.timeout.request", 11, 28, true},
		{"dependencies.a.operations.0.timeout.request", 11, 28, true},
		{"dependencies.a.operations.search.retry", 10, 9, false},
		{`dependencies."b.c".timeout.request`, 13, 14, true},
		{"dependencies.d.timeout.request", 16, 7, true},
		{"dependencies.d.timeout.total", 17, 14, true},
		{"serve", 1, 1, false},
	} {
		line, column, written := places.Of(c.path)
		if line != c.line || column != c.column || written != c.written {
			t.Errorf("%s: %d:%d %v, want %d:%d %v", c.path, line, column, written,
				c.line, c.column, c.written)
		}
	}
}
