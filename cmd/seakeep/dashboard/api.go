package dashboard

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
)

// policyOfContent lets the page load what is here and nothing else. The engine of
// "Try it" is WebAssembly, which needs leave of its own.
const policyOfContent = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; " +
	"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the API and the page of a program, and makes the dashboard
// listen to it. All handlers of a dashboard are of one program.
func (d *Dashboard) Handler(p Program) http.Handler {
	if p.Ends == nil {
		p.Ends = context.Background()
	}
	d.program.Store(&p)
	d.on.Store(true)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/snapshot", func(w http.ResponseWriter, _ *http.Request) {
		_, text := d.snapshot(&p)
		reply(w, text)
	})
	mux.HandleFunc("GET /api/v1/dependencies/{name}", func(w http.ResponseWriter, r *http.Request) {
		d.dependency(w, r, &p)
	})
	mux.HandleFunc("GET /api/v1/history", func(w http.ResponseWriter, r *http.Request) {
		d.history(w, r, &p)
	})
	mux.HandleFunc("GET /api/v1/events", func(w http.ResponseWriter, r *http.Request) {
		d.stream(w, r, &p)
	})
	mux.HandleFunc("GET /api/v1/policy", func(w http.ResponseWriter, _ *http.Request) {
		show(w, d.policy(&p))
	})
	mux.HandleFunc("GET /api/v1/slo", func(w http.ResponseWriter, _ *http.Request) {
		show(w, proxy.SLOViewOf(p.Set))
	})
	mux.HandleFunc("GET /api/v1/faults", func(w http.ResponseWriter, _ *http.Request) {
		show(w, proxy.Operator{Set: p.Set}.Faults(nil))
	})
	mux.HandleFunc("GET /api/v1/audit", func(w http.ResponseWriter, _ *http.Request) {
		show(w, d.audit.list())
	})
	mux.HandleFunc("GET /api/v1/demo/{view}", func(w http.ResponseWriter, r *http.Request) {
		d.demoView(w, r, &p)
	})
	mux.Handle("/", d.pages(&p))
	// Levers look at the name themselves, to write down what they refuse.
	outer := http.NewServeMux()
	outer.HandleFunc("POST /api/v1/levers/{lever}", func(w http.ResponseWriter, r *http.Request) {
		d.pull(w, r, &p)
	})
	outer.HandleFunc("POST /api/v1/demo/{lever}", func(w http.ResponseWriter, r *http.Request) {
		d.demo(w, r, &p)
	})
	outer.Handle("/", d.options.Hosts.Guard(mux))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policyOfContent)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		outer.ServeHTTP(w, r)
	})
}

func reply(w http.ResponseWriter, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(append(text[:len(text):len(text)], '\n'))
}

func show(w http.ResponseWriter, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	reply(w, text)
}

// fail answers {"error": "..."}.
func fail(w http.ResponseWriter, status int, text string) {
	body, _ := json.Marshal(map[string]string{"error": text})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

// demoView answers a question about the demo.
func (d *Dashboard) demoView(w http.ResponseWriter, r *http.Request, p *Program) {
	view := p.DemoViews[r.PathValue("view")]
	if view == nil {
		fail(w, http.StatusNotFound, "there is no such view here")
		return
	}
	v, err := view(r.URL.Query())
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	show(w, v)
}

// dependencyPage is a dependency with its endpoints, and its latest changes.
type dependencyPage struct {
	Version    int               `json:"version"`
	AtMS       float64           `json:"at_ms"`
	WindowMS   float64           `json:"window_ms"`
	Dependency schema.Dependency `json:"dependency"`
	Events     []schema.Event    `json:"events"` // that changed a state, the oldest first
}

func (d *Dashboard) dependency(w http.ResponseWriter, r *http.Request, p *Program) {
	name := r.PathValue("name")
	s, _ := d.snapshot(p)
	for i := range s.Dependencies {
		if s.Dependencies[i].Name != name {
			continue
		}
		v := dependencyPage{Version: s.Version, AtMS: s.AtMS, WindowMS: s.WindowMS,
			Dependency: s.Dependencies[i], Events: d.hub.between(0, s.AtMS, name)}
		withEndpoints(&v.Dependency, p)
		show(w, v)
		return
	}
	fail(w, http.StatusNotFound, "the policy file has no such dependency")
}
