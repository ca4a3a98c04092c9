package dashboard

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

// built is the page with pictures, if it was built before the program was.
//
//go:embed all:assets
var built embed.FS

// Assets are the files of the built page; none, if it was not built before the
// program was.
func Assets() fs.FS {
	files, _ := fs.Sub(built, "assets") // the folder is always there
	return files
}

// types are those of the files that a page is made of. The system's own table may
// say anything.
var types = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png",
	".ico": "image/x-icon", ".json": "application/json", ".wasm": "application/wasm",
	".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8", ".yaml": "text/plain; charset=utf-8",
	".webmanifest": "application/manifest+json", ".map": "application/json"}

// pages serves the built page, or the plain one if there is none. The plain one is
// at /plain in any case.
func (d *Dashboard) pages(p *Program) http.Handler {
	files := Assets()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plain", func(w http.ResponseWriter, _ *http.Request) { d.plain(w, p) })
	if _, err := fs.Stat(files, "index.html"); err != nil {
		mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { d.plain(w, p) })
		return mux
	}
	mux.Handle("GET /", Files(files))
	return mux
}

// Files serves a built page: files as they are, and compressed ones beside them
// (.br, .gz) to who takes them. The root is index.html; each view has its address
// behind a "#", which no server sees.
func Files(files fs.FS) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		if name == "" {
			name = "index.html"
		}
		info, err := fs.Stat(files, name)
		if err != nil || info.IsDir() || strings.HasPrefix(path.Base(name), ".") {
			http.NotFound(w, r)
			return
		}
		serveFile(w, r, files, name)
	})
}

func serveFile(w http.ResponseWriter, r *http.Request, files fs.FS, name string) {
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	if kind := types[path.Ext(name)]; kind != "" {
		h.Set("Content-Type", kind)
	}
	h.Set("Cache-Control", "no-cache")
	if hashed(name) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("Vary", "Accept-Encoding")
	text, err := fs.ReadFile(files, name)
	for _, coding := range [...][2]string{{"br", ".br"}, {"gzip", ".gz"}} {
		if !accepts(r, coding[0]) {
			continue
		}
		if small, failed := fs.ReadFile(files, name+coding[1]); failed == nil {
			h.Set("Content-Encoding", coding[0])
			text = small
			break
		}
	}
	if err != nil {
		http.NotFound(w, r)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(text)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(text)
	}
}

// hashed reports whether a name has a hash of its content, as bundlers write it:
// name-8CHARSxx.ext.
func hashed(name string) bool {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	at := len(base) - 9
	return path.Dir(name) != "." && at > 0 && base[at] == '-'
}

// accepts reports whether a client takes a coding. "q=0" says that it does not.
func accepts(r *http.Request, coding string) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		text, found := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
		q, err := strconv.ParseFloat(text, 64)
		return !found || err == nil && q > 0
	}
	return false
}

// plain writes the wall as a table, for a program that was built without the page
// and for browsers without scripts.
func (d *Dashboard) plain(w http.ResponseWriter, p *Program) {
	s, _ := d.snapshot(p)
	var page bytes.Buffer
	if err := plainPage.Execute(&page, s); err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+plainStyleHash+
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_, _ = w.Write(page.Bytes())
}

var plainPage = template.Must(template.New("plain").Funcs(template.FuncMap{
	"percent": schema.Percent, "rate": schema.Number, "ms": schema.MS, "state": schema.BreakerWord,
	"slots": schema.SlotsWord, "style": func() template.CSS { return plainStyle },
}).Parse(plainText))
