package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

var labFiles = fstest.MapFS{"try.html": {Data: []byte("<!doctype html>the page")},
	"index.html":             {Data: []byte("<!doctype html>the wall")},
	"assets/try-12345678.js": {Data: []byte("script")}}

func TestLabHandler(t *testing.T) {
	h, err := labHandler(labFiles)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/", 200, "the page"},
		{"GET", "/?x=1", 200, "the page"},
		{"GET", "//elsewhere/..", 200, "the page"},
		{"GET", "/try.html", 302, ""},
		{"GET", "/index.html", 302, ""},
		{"HEAD", "/", 200, ""},
		{"GET", "/assets/try-12345678.js", 200, "script"},
		{"GET", "/../../etc/passwd.txt", 404, ""},
		{"GET", "/none.js", 404, ""},
		{"POST", "/", 405, "nothing to send"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(row.method, row.path, nil))
		if w.Code != row.status || !strings.Contains(w.Body.String(), row.want) {
			t.Errorf("%s %s: %d %q", row.method, row.path, w.Code, w.Body)
		}
		if w.Header().Get("Content-Security-Policy") != labContent {
			t.Errorf("%s %s: no policy of content", row.method, row.path)
		}
	}
	if _, err := labHandler(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("without a page: %v", err)
	}
}

func TestLabServesAndEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- lab(ctx, "127.0.0.1:0", labFiles, in) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Get(strings.TrimSpace(strings.TrimPrefix(line, "Try it: ")))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if !strings.Contains(string(body), "the page") {
		t.Errorf("%q", body)
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, listen := range []string{"not an address", "127.0.0.1:99999"} {
		err := lab(t.Context(), listen, labFiles, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "such as 127.0.0.1:0") {
			t.Errorf("%s: %v", listen, err)
		}
	}
}
