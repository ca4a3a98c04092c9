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

// entryKey is what a request's answer is stored and found by.
type entryKey struct {
	key   string        // empty: neither stored nor found
	fresh time.Duration // until when an answer is
	anew  bool          // the caller wants no stored answer while there is a new one
	age   time.Duration // of the answer that was found
}

// stored is an answer in the cache. It is never changed.
type stored struct {
	header http.Header
	body   string
	length int64 // as the answer stated it; -1: it did not
	age    time.Duration
}

// keyOf returns the request's key. Only reads are cached, and only those whose
// answer cannot depend on who asks, unless the caller has named what it asks
// for.
func (x *exchange) keyOf(settings *seakeep.Cache) entryKey {
	req, h := x.req, x.req.Header
	if m := req.Method; m != "" && m != http.MethodGet && m != http.MethodHead {
		return entryKey{}
	}
	if h["Range"] != nil || has(h, "Cache-Control", "no-store") {
		return entryKey{}
	}
	e := entryKey{fresh: settings.Fresh, anew: has(h, "Cache-Control", "no-cache")}
	var b strings.Builder
	part := func(s string) {
		b.WriteString(s)
		b.WriteByte(0)
	}
	part(x.policy.Name)
	part(req.Method)
	part(h.Get("Accept-Encoding"))
	if x.info.CacheKey != "" {
		part(x.info.CacheKey)
		e.key = b.String()
		return e
	}
	if personal(h) {
		return entryKey{}
	}
	part(hostOf(req))
	part(req.URL.EscapedPath())
	part(req.URL.RawQuery)
	part(x.key)
	e.key = b.String()
	return e
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

// storable reports whether an answer may be given again, to anyone, when it is
// old.
func storable(resp *http.Response) bool {
	h := resp.Header
	if resp.StatusCode != http.StatusOK || resp.ContentLength > maxCached && resp.Body != http.NoBody ||
		resp.Trailer != nil || h["Set-Cookie"] != nil ||
		has(h, "Cache-Control", "no-store", "no-cache", "private", "must-revalidate", "proxy-revalidate") {
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

// recording starts a copy of the answer's body, if it may be stored.
func (x *exchange) recording() *recording {
	if x.cache == nil || !storable(x.resp) {
		return nil
	}
	return &recording{}
}

func (r *recording) add(p []byte) {
	if r.lost.Load() {
		return
	}
	if r.buf.Len()+len(p) > maxCached {
		r.drop()
		r.buf = bytes.Buffer{}
		return
	}
	r.buf.Write(p)
}

func (r *recording) drop() {
	if r != nil {
		r.lost.Store(true)
	}
}

// store keeps the answer, whose whole body r has; nil: it has none.
func (x *exchange) store(r *recording) {
	if x.cache == nil || !storable(x.resp) || (r != nil && r.lost.Load()) {
		return
	}
	s := &stored{header: lasting(x.resp.Header), length: x.resp.ContentLength}
	if r != nil {
		s.body = r.buf.String()
	}
	if seconds, err := strconv.Atoi(s.header.Get("Age")); err == nil && seconds > 0 {
		s.age = time.Duration(seconds) * time.Second
	}
	size := int64(len(s.body))
	for name, values := range s.header {
		size += int64(len(name))
		for _, v := range values {
			size += int64(len(v))
		}
	}
	x.cache.Store(seakeep.Now(), x.entry.key, s, size)
}

// lasting returns the fields of an answer that belong to it and not to the
// connection it came over.
func lasting(h http.Header) http.Header {
	out := h.Clone()
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			out.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range [...]string{"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer",
		"Transfer-Encoding", "Upgrade", "Proxy-Authenticate", "Proxy-Authentication-Info", FallbackHeader} {
		delete(out, name)
	}
	return out
}

// lookup finds the request's answer.
func (x *exchange) lookup() (*stored, stale.Status, error) {
	v, age, status := x.cache.Lookup(seakeep.Now(), x.entry.key)
	s, ok := v.(*stored)
	if status == stale.Miss || !ok {
		return nil, stale.Miss, errNothingCached
	}
	x.entry.age = age + s.age
	return s, status, nil
}

// fresh returns an answer without a call: one that is fresh, or an old one
// while another caller renews it. It returns nil if this caller must call.
func (x *exchange) fresh() *http.Response {
	if x.entry.fresh == 0 || x.entry.anew {
		return nil
	}
	s, status, err := x.lookup()
	if err != nil {
		return nil
	}
	detail := ""
	if status == stale.Stale {
		if x.leased = x.cache.Lease(seakeep.Now(), x.entry.key); x.leased {
			return nil
		}
		detail = "stale-while-revalidate"
	}
	x.adapter.Reported(x.info, kindCache, x.entry.age)
	return x.again(s, detail)
}

// stale returns an old answer because the call has failed.
func (x *exchange) stale() (*http.Response, error) {
	if x.cache == nil {
		return nil, errNothingCached
	}
	s, _, err := x.lookup()
	if err != nil {
		return nil, err
	}
	return x.again(s, "stale-if-error"), nil
}

// again makes an answer of a stored one, and says so (RFC 9211).
func (x *exchange) again(s *stored, detail string) *http.Response {
	resp := made(x.req, http.StatusOK, s.header.Clone(), s.body)
	h := resp.Header
	if x.req.Method == http.MethodHead { // the length is that of a body we never had
		h.Del("Content-Length")
		if resp.ContentLength = s.length; s.length >= 0 {
			h.Set("Content-Length", strconv.FormatInt(s.length, 10))
		}
	}
	h.Set("Age", strconv.FormatInt(int64(x.entry.age/time.Second), 10))
	ttl := int64((x.entry.fresh - x.entry.age).Round(time.Second) / time.Second)
	status := "seakeep; hit; ttl=" + strconv.FormatInt(ttl, 10)
	if detail != "" {
		status += "; detail=" + detail
	}
	h.Add("Cache-Status", status)
	return resp
}

// release gives the lease for renewing the answer back.
func (x *exchange) release() {
	if x.leased {
		x.leased = false
		x.cache.Done(seakeep.Now(), x.entry.key)
	}
}
