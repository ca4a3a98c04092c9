package seakeephttp

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/idempotency"
)

// HandlerOptions are what a program adds to the serve section of its file.
type HandlerOptions struct {
	// OpenStore opens the file that keeps idempotency keys: bolt.Open of
	// adapters/bolt. It is needed if the section names one.
	OpenStore func(path string, c idempotency.Config) (idempotency.Store, error)
	// Principal names who sends a request, so that one client's key never
	// answers another client; nil: the header that the section names, or
	// everybody shares the keys.
	Principal func(*http.Request) string
	// Observer hears of each request that a key answers in place of the
	// application, as IdempotencyConfig.Observer does; nil: nobody does.
	Observer core.Observer
}

// Keys runs the writes that the serve section names once for each
// Idempotency-Key. It is a part of Handler; a Gate has none by itself. Methods,
// principal and whether a key is required follow a reload; the store and how
// long and how many keys it keeps are those of the first file that has any,
// because a store cannot forget and keep its promise.
type Keys struct {
	next    http.Handler
	options HandlerOptions

	mu      sync.Mutex
	store   idempotency.Store
	current *config.Idempotency
	handler http.Handler
}

// NewKeys returns the keys for next. Prepare must be called before the first
// request, and after each reload before it is in use.
func NewKeys(next http.Handler, o HandlerOptions) *Keys { return &Keys{next: next, options: o} }

// Prepare opens the store that a serve section names, if that has not been
// done. c may be nil.
func (k *Keys) Prepare(c *config.Idempotency) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c == nil || k.store != nil {
		return nil
	}
	if c.Store == config.InMemory {
		store, err := idempotency.NewMemory(c.Keys)
		if err != nil {
			return err
		}
		k.store = store
		return nil
	}
	if k.options.OpenStore == nil {
		return fmt.Errorf("seakeephttp: serve.idempotency.store is the file %q; "+
			"give HandlerOptions.OpenStore, such as bolt.Open of adapters/bolt", c.Store)
	}
	store, err := k.options.OpenStore(c.Store, c.Keys)
	if err != nil {
		return err
	}
	k.store = store
	return nil
}

// Close closes the store, once nobody serves any more.
func (k *Keys) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c, ok := k.store.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

// Serve lets next answer, once for each key. A nil c protects nothing.
func (k *Keys) Serve(w http.ResponseWriter, r *http.Request, c *config.Idempotency) {
	h := k.next
	if c != nil {
		h = k.of(c)
	}
	if _, timed := r.Body.(*timedBody); c != nil && !timed && r.Header[keyHeader] != nil {
		timeBody(w, r) // all of it is read before anything else happens
	}
	h.ServeHTTP(w, r)
}

// of returns the handler for a section, which is made once.
func (k *Keys) of(c *config.Idempotency) http.Handler {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.store == nil:
		panic("seakeephttp: Keys.Serve without Prepare")
	case k.current == c:
		return k.handler
	}
	k.current = c
	k.handler = Idempotency(k.next, IdempotencyConfig{Store: k.store, Methods: c.Methods,
		Required: c.Required, Principal: k.principal(c),
		Observer: k.options.Observer,
		Limits:   IdempotencyLimits{Body: c.Body, Answer: c.Keys.EntryBytes}})
	return k.handler
}

func (k *Keys) principal(c *config.Idempotency) func(*http.Request) string {
	switch {
	case k.options.Principal != nil:
		return k.options.Principal
	case c.Principal != "":
		return func(r *http.Request) string { return r.Header.Get(c.Principal) }
	}
	return func(*http.Request) string { return "" }
}
