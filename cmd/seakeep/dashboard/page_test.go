package dashboard

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
)

func TestFiles(t *testing.T) {
	files := fstest.MapFS{
		"index.html":                 {Data: []byte("<!doctype html>")},
		"assets/main-Ab3_x9-z.js":    {Data: []byte("long script")},
		"assets/main-Ab3_x9-z.js.br": {Data: []byte("br")},
		"assets/main-Ab3_x9-z.js.gz": {Data: []byte("gz")},
		"engine.wasm":                {Data: []byte("\x00asm")},
		".keep":                      {Data: nil},
	}
	h := Files(files)
	for _, c := range []struct {
		path, accept, body, kind, coding, cache string
		status                                  int
	}{
		{"/", "gzip", "<!doctype html>", "text/html; charset=utf-8", "", "no-cache", 200},
		{"/dependencies/pricing", "", "404 page not found\n", "text/plain; charset=utf-8", "", "", 404},
		{"/assets/main-Ab3_x9-z.js", "gzip, br", "br", "text/javascript; charset=utf-8", "br",
			"public, max-age=31536000, immutable", 200},
		{"/assets/main-Ab3_x9-z.js", "gzip, br;q=0", "gz", "text/javascript; charset=utf-8", "gzip",
			"public, max-age=31536000, immutable", 200},
		{"/assets/main-Ab3_x9-z.js", "", "long script", "text/javascript; charset=utf-8", "",
			"public, max-age=31536000, immutable", 200},
		{"/engine.wasm", "br", "\x00asm", "application/wasm", "", "no-cache", 200},
		{"/none.css", "", "404 page not found\n", "text/plain; charset=utf-8", "", "", 404},
		{"/.keep", "", "404 page not found\n", "text/plain; charset=utf-8", "", "", 404},
	} {
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.Header.Set("Accept-Encoding", c.accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		g := w.Header()
		if w.Code != c.status || w.Body.String() != c.body || g.Get("Content-Type") != c.kind ||
			g.Get("Content-Encoding") != c.coding || g.Get("Cache-Control") != c.cache {
			t.Errorf("%s with %q: %d %q %v", c.path, c.accept, w.Code, w.Body, g)
		}
	}
}
