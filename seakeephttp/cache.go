package seakeephttp

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/stale"
)

// maxCached bounds one stored answer. A larger one is a download, which an old
// copy seldom helps.
const maxCached = 1 << 20

// maxAge is the longest age in seconds, as RFC 9111 has it: what is older is
// that old.
const maxAge = 1 << 31

// caching is what the cache has to do with one request.
type caching struct {
	cache  *stale.Cache
	key    string
	fresh  time.Duration // until when an answer is
	anew   bool          // the caller wants no stored answer while there is a new one
	leased bool          // this call renews the stored answer
	age    time.Duration // of the answer that was found
	record *recording    // of the answer's body; nil: not stored
}

// stored is an answer in the cache. It is never changed.
type stored struct {
	header http.Header
	body   string
	length int64 // as the answer stated it; -1: it did not
	age    time.Duration
}

// newCaching returns nil if the request's answer is not cached. Only reads are,
// and only those whose answer cannot depend on who asks, unless the caller has
// named what it asks for.
func (x *exchange) newCaching(cache *stale.Cache, settings *seakeep.Cache) *caching {
	req, h := x.req, x.req.Header
	if m := req.Method; m != "" && m != http.MethodGet && m != http.MethodHead {
		return nil
	}
	if h["Range"] != nil || has(h, "Cache-Control", "no-store") ||
		(x.info.CacheKey == "" && personal(h)) {
		return nil
	}
	parts := []string{x.adapter.Plan().Config().Name, req.Method, strings.Join(h["Accept-Encoding"], ","),
		x.info.CacheKey}
	if x.info.CacheKey == "" {
		parts = append(parts, hostOf(req), req.URL.EscapedPath(), req.URL.RawQuery, x.key())
	}
	return &caching{cache: cache, key: strings.Join(parts, "\x00"), fresh: settings.Fresh,
		anew: has(h, "Cache-Control", "no-cache")}
}

// personal reports whether a request says who is asking.
func personal(h http.Header) bool {
	return h["Authorization"] != nil || h["Cookie"] != nil || h["Proxy-Authorization"] != nil
}

// has reports whether a list-valued field names a word, whatever its argument.
func has(h http.Header, name string, words ...string) bool {
	for _, line := range h[name] {
		for item := range strings.SplitSeq(line, ",") {
			item, _, _ = strings.Cut(strings.TrimSpace(item), "=")
			for _, w := range words {
				if strings.EqualFold(item, w) {
					return true
				}
			}
		}
	}
	return false
}

// forbidding are the directives of an answer that is not for everyone, or not
// to be given without asking first.
var forbidding = []string{"no-store", "private", "no-cache", "must-revalidate", "proxy-revalidate"}

// storable reports whether an answer may be given again, to anyone, when it is
// old.
func storable(resp *http.Response) bool {
	h := resp.Header
	large := resp.ContentLength > maxCached && resp.Body != http.NoBody
	if resp.StatusCode != http.StatusOK || large || resp.Trailer != nil || h["Set-Cookie"] != nil ||
		h[FallbackHeader] != nil || // it stands in for what is worth keeping
		has(h, "Cache-Control", forbidding...) {
		return false
	}
	for _, line := range h["Vary"] {
		for item := range strings.SplitSeq(line, ",") {
			if !strings.EqualFold(strings.TrimSpace(item), "Accept-Encoding") {
				return false
			}
		}
	}
	return true
}

// recording is a copy of a body on its way to the caller.
type recording struct {
	buf  bytes.Buffer
	lost atomic.Bool
}

func (r *recording) add(p []byte) {
	switch {
	case r == nil || r.lost.Load():
	case r.buf.Len()+len(p) > maxCached:
		r.drop()
		r.buf = bytes.Buffer{}
	default:
		r.buf.Write(p)
	}
}

func (r *recording) drop() {
	if r != nil {
		r.lost.Store(true)
	}
}

// store keeps the answer, whose whole body r has; nil: it has none.
func (x *exchange) store(r *recording) {
	if x.caching == nil || !storable(x.resp) || (r != nil && r.lost.Load()) {
		return
	}
	s := &stored{header: lasting(x.resp.Header), length: x.resp.ContentLength}
	if r != nil {
		s.body = r.buf.String()
	}
	if seconds, err := strconv.Atoi(s.header.Get("Age")); err == nil && seconds > 0 {
		s.age = time.Duration(min(seconds, maxAge)) * time.Second
	}
	size := int64(len(s.body))
	for name, values := range s.header {
		size += int64(len(name))
		for _, v := range values {
			size += int64(len(v))
		}
	}
	x.caching.cache.Store(seakeep.Now(), x.caching.key, s, size)
}

// passing are the fields of a connection, and of a fallback.
var passing = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Proxy-Authenticate", "Proxy-Authentication-Info",
	FallbackHeader}

// lasting returns the fields of an answer that belong to it and not to the
// connection it came over.
func lasting(h http.Header) http.Header {
	out := h.Clone()
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			out.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range passing {
		delete(out, name)
	}
	return out
}

// lookup finds the request's answer.
func (c *caching) lookup() (*stored, stale.Status, error) {
	v, age, status := c.cache.Lookup(seakeep.Now(), c.key)
	s, ok := v.(*stored)
	if status == stale.Miss || !ok {
		return nil, stale.Miss, errNothingCached
	}
	c.age = age + s.age
	return s, status, nil
}

// fresh returns an answer without a call: one that is fresh, or an old one
// while another caller renews it. It returns nil if this caller must call.
func (x *exchange) fresh() *http.Response {
	c := x.caching
	if c.fresh == 0 || c.anew {
		return nil
	}
	s, status, err := c.lookup()
	if err != nil {
		return nil
	}
	detail := ""
	if status == stale.Stale {
		if c.leased = c.cache.Lease(seakeep.Now(), c.key); c.leased {
			return nil
		}
		detail = "stale-while-revalidate"
	}
	x.adapter.Reported(x.info, kindCache, c.age)
	return x.again(s, detail)
}

// stale returns an old answer because the call has failed.
func (x *exchange) stale() (*http.Response, error) {
	if x.caching == nil {
		return nil, errNothingCached
	}
	s, _, err := x.caching.lookup()
	if err != nil {
		return nil, err
	}
	return x.again(s, "stale-if-error"), nil
}

// again makes an answer of a stored one, and says so (RFC 9211).
func (x *exchange) again(s *stored, detail string) *http.Response {
	resp := made(x.req, http.StatusOK, s.header.Clone(), s.body)
	h, c := resp.Header, x.caching
	if x.req.Method == http.MethodHead { // the length is that of a body we never had
		h.Del("Content-Length")
		if resp.ContentLength = s.length; s.length >= 0 {
			h.Set("Content-Length", strconv.FormatInt(s.length, 10))
		}
	}
	h.Set("Age", strconv.FormatInt(int64(c.age/time.Second), 10))
	ttl := int64((c.fresh - c.age).Round(time.Second) / time.Second)
	status := "seakeep; hit; ttl=" + strconv.FormatInt(ttl, 10)
	if detail != "" {
		status += "; detail=" + detail
	}
	h.Add("Cache-Status", status)
	return resp
}

// release gives the lease for renewing the answer back.
func (x *exchange) release() {
	if c := x.caching; c != nil && c.leased {
		c.leased = false
		c.cache.Done(seakeep.Now(), c.key)
	}
}
