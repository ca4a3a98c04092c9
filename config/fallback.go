package config

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core/stale"
)

var (
	// tokenForm is a field name of HTTP (RFC 9110, section 5.1).
	tokenForm = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	// valueForm is a field value without control characters.
	valueForm = regexp.MustCompile(`^[^\x00-\x08\x0a-\x1f\x7f]*$`)
)

const orderFix = "a list such as [cache: {stale: 5m}, omit: {}]"

func (o *object) fallback(s *Settings) {
	f := o.find("fallback")
	if f == nil || f.is(off) {
		o.note("fallback", f, "off")
		return
	}
	b := o.fallbackLayer()
	defer b.close()
	c := &s.Fallback
	if order := b.require("order", orderFix); order != nil {
		for _, item := range order.items(orderFix) {
			if a, ok := b.answer(item); ok {
				c.Order = append(c.Order, a)
			}
		}
		b.note("order", order, strings.Join(names(c.Order), ", "))
	}
	b.share("exercise", &c.Exercise, within[float64](0, 1, "1%"))
	c.Limit = 100
	b.integer("limit", &c.Limit, within[int](1, 1e6, "100"))
	c.Timeout = time.Second
	b.duration("timeout", &c.Timeout, positive("100ms"))
}

// fallbackLayer is layer for a section that may be written as its bare list.
func (o *object) fallbackLayer() *object {
	want := orderFix + ", a section such as {order: [omit: {}], exercise: 1%}, or " + off
	b := o.short("fallback", "order", want)
	if o.base == nil || o.fields["fallback"] == nil {
		return b
	}
	if f := o.base.fields["fallback"]; f != nil && !f.is(off) {
		b.base = o.base.short("fallback", "order", want)
	}
	return b
}

// answer reads one step of a fallback: a section with exactly one key.
func (o *object) answer(item *field) (a Answer, ok bool) {
	s := objectOf(item, "one of cache, static, dependency and omit, such as cache: {stale: 5m}")
	defer s.close()
	var given []string
	for _, key := range []string{"cache", "static", "dependency", "omit"} {
		if s.find(key) != nil {
			given = append(given, key)
		}
	}
	switch {
	case s.broken:
		return a, false
	case len(given) == 0:
		item.fail("no answer is named", "give one of cache, static, dependency and omit")
		return a, false
	case len(given) > 1:
		item.fail(strings.Join(given, " and ")+" stand in one step", "write a - before each")
		return a, false
	}
	switch given[0] {
	case "cache":
		a.Cache = s.cache()
	case "static":
		a.Static = s.static()
	case "dependency":
		f := s.text("dependency", &a.Dependency, nameForm, "the name of another dependency")
		s.note("dependency", f, a.Dependency)
		o.d.links = append(o.d.links, link{from: o.d.current, to: a.Dependency, at: f})
	case "omit":
		a.Omit = s.omit()
	}
	return a, true
}

func names(order []Answer) []string {
	out := make([]string, len(order))
	for i, a := range order {
		switch {
		case a.Cache != nil:
			out[i] = "cache"
		case a.Static != nil:
			out[i] = "static"
		case a.Omit != nil:
			out[i] = "omit"
		default:
			out[i] = "dependency " + a.Dependency
		}
	}
	return out
}

func (o *object) cache() *stale.Config {
	s := o.section("cache", "a section such as {stale: 5m}")
	defer s.close()
	c := &stale.Config{Entries: 1000, Bytes: 64 << 20}
	s.duration("fresh", &c.Fresh, natural("10s"))
	s.duration("stale", &c.Stale, natural("5m"))
	switch f := s.find("stale"); {
	case f == nil && c.Fresh == 0:
		s.missing("stale", "how old an answer may be when the call fails, such as 5m")
	case c.Stale == 0 && c.Fresh == 0:
		f.fail("with fresh and stale both 0s no answer would ever be used",
			"give stale a time such as 5m")
	case f != nil && c.Stale > 0 && c.Stale < c.Fresh:
		f.fail(showDuration(c.Stale)+" is less than fresh, "+showDuration(c.Fresh),
			"count both from when the answer was stored, so give at least fresh")
	}
	s.integer("entries", &c.Entries, within[int](1, 1e7, "1000"))
	s.size("bytes", &c.Bytes, within[int64](1<<10, 1<<40, "64MiB"))
	s.check(c.Validate(), cacheFields)
	return c
}

var cacheFields = map[string]string{
	"Fresh": "fresh", "Stale": "stale", "Entries": "entries", "Bytes": "bytes",
}

// final are the limits of a status that ends an exchange.
var final = within[int](200, 599, "200")

func (o *object) static() *Static {
	s := o.section("static", "a section such as {status: 200, body: '{}'}")
	defer s.close()
	c := &Static{Status: 200}
	s.integer("status", &c.Status, final)
	if s.find("headers") != nil {
		const want = "headers such as {Content-Type: application/json}"
		c.Headers = s.headers("headers", want, framing...)
	}
	body := s.text("body", &c.Body, nil, `text in quotes, such as '{"price":null}'`)
	if c.Body != "" && (c.Status == 204 || c.Status == 304) {
		body.fail("an answer with status "+strconv.Itoa(c.Status)+" has no body",
			"remove the body, or use status 200")
	}
	s.note("body", body, showSize(int64(len(c.Body))))
	return c
}

// framing are the fields that whoever sends the answer sets.
var framing = []string{"connection", "content-length", "keep-alive", "te", "trailer",
	"transfer-encoding", "upgrade"}

// headers reads a section of header fields, in the order of the text. Those
// that are reserved may not be given.
func (o *object) headers(key, want string, reserved ...string) (all []Header) {
	var lines, seen []string
	for _, f := range o.section(key, want).each() {
		name := f.key.Value
		switch {
		case !tokenForm.MatchString(name):
			f.failKey("not the name of a header", "use letters, digits and hyphens")
			continue
		case slices.Contains(seen, strings.ToLower(name)):
			f.failKey("the header is in the list already", "remove one of them")
			continue
		case slices.Contains(reserved, strings.ToLower(name)):
			f.failKey("whoever sends the answer sets this header", "remove it")
			continue
		}
		seen = append(seen, strings.ToLower(name))
		if value, ok := textOf(f, valueForm, "text without line breaks"); ok {
			all = append(all, Header{name, value})
			lines = append(lines, name+": "+value)
		}
	}
	o.note(key, o.find(key), strings.Join(lines, ", "))
	return all
}

func (o *object) omit() *Omit {
	s := o.section("omit", "a section such as {status: 204}, or {}")
	defer s.close()
	c := &Omit{Status: 204}
	s.integer("status", &c.Status, final)
	return c
}
