package config

import (
	"strings"
	"time"

	"github.com/seakeep/seakeep/core/idempotency"
)

// Idempotency says which writes are remembered by their keys.
type Idempotency struct {
	Methods   []string
	Required  bool
	Store     string // InMemory, or a file's path
	Principal string // the header that says whose keys they are; empty: everybody's
	Body      int64  // the body of a request with a key may be this large
	Keys      idempotency.Config
}

// InMemory is the store that ends with the process.
const InMemory = "memory"

func (o *object) idempotency(v *Serve) {
	s, on := o.rung("idempotency", "{methods: [POST]}")
	if !on {
		return
	}
	defer s.close()
	c := &Idempotency{Methods: []string{"POST", "PATCH"}, Store: InMemory, Body: 1 << 20,
		Keys: idempotency.Config{}.WithDefaults()}
	v.Idempotency = c
	s.keyedMethods(c)
	s.boolean("required", &c.Required)
	store := s.text("store", &c.Store, nil, "text: memory, or the path of a file")
	if store != nil && c.Store == "" {
		store.fail(`"" is not the path of a file`, "give memory, or the path of a file")
	}
	s.note("store", store, c.Store)
	k := &c.Keys
	s.duration("ttl", &k.TTL, within(time.Second, longest, "24h"))
	again := within(time.Second, longest, "1h")
	again.off = "never"
	s.duration("run-again-after", &k.RunAgainAfter, again)
	s.duration("longest", &k.Longest, within(time.Second, longest, "1h"))
	s.headerName("principal", &c.Principal, "X-Account")
	s.size("body", &c.Body, within[int64](1, replayMost, "1MiB"))
	s.integer("entries", &k.Entries, within(1, 1_000_000_000, "1000000"))
	s.size("bytes", &k.Bytes, within[int64](1<<10, 1<<50, "256MiB"))
	s.check(k.Validate(), map[string]string{"TTL": "ttl", "RunAgainAfter": "run-again-after",
		"Longest": "longest", "Entries": "entries", "Bytes": "bytes"})
}

func (o *object) keyedMethods(c *Idempotency) {
	f := o.find("methods")
	if f != nil {
		c.Methods = nil
		for _, item := range f.items("methods such as [POST, PATCH]") {
			if m, ok := textOf(item, methodForm, "a method such as POST"); ok {
				c.Methods = append(c.Methods, m)
			}
		}
	}
	o.note("methods", f, strings.Join(c.Methods, ", "))
}
