package seakeephttp

import (
	"net/http"
	"testing"
	"time"
)

// TestStandInIsNotStored: the layer below has a fallback of its own. What it
// says then must not push out the good answer.
func TestStandInIsNotStored(t *testing.T) {
	next := answer(200, "good")
	rt := Wrap(cached(t, 0, time.Hour), baseFunc(func(*http.Request) (*http.Response, error) {
		return next, nil
	}))
	get(t, rt, "http://test/")
	next = answer(200, "[]")
	next.Header.Set(FallbackHeader, "static")
	if g := get(t, rt, "http://test/"); g.body != "[]" {
		t.Errorf("%+v", g)
	}
	next = answer(503, "no")
	if g := get(t, rt, "http://test/"); g.body != "good" {
		t.Errorf("%+v", g)
	}
}

func TestEveryAcceptEncodingCounts(t *testing.T) {
	calls := 0
	rt := Wrap(cached(t, time.Hour, time.Hour), baseFunc(func(*http.Request) (*http.Response, error) {
		calls++
		a := answer(200, "zipped")
		a.Header.Set("Vary", "Accept-Encoding")
		return a, nil
	}))
	for _, second := range []string{"gzip", "br"} {
		req := request(t, "GET", "http://test/", nil)
		req.Header["Accept-Encoding"] = []string{"identity", second}
		send(rt, req)
	}
	if calls != 2 {
		t.Errorf("%d calls for two kinds of answers", calls)
	}
}

func TestHugeAgeStaysAnAge(t *testing.T) {
	rt := Wrap(cached(t, time.Hour, time.Hour), baseFunc(func(*http.Request) (*http.Response, error) {
		a := answer(200, "old")
		a.Header.Set("Age", "9223372036854775807")
		return a, nil
	}))
	get(t, rt, "http://test/")
	if g := get(t, rt, "http://test/"); g.header.Get("Age") != "2147483648" {
		t.Errorf("%+v", g)
	}
}
