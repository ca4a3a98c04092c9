package seakeepgrpc

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/stale"
)

// caching is what the cache has to do with one call.
type caching struct {
	cache  *stale.Cache // nil: nothing is cached
	entry  string
	leased bool // this call renews the stored answer
	age    time.Duration
}

// fresh gives an answer without a call: one that is fresh, or an old one while
// another caller renews it. Answers are cached for calls that name what they ask
// for, and found again by that name and the method.
func (c *caching) fresh(x *exchange, reply any) bool {
	cache, settings := x.adapter.Cache()
	_, ok := reply.(proto.Message)
	if cache == nil || x.info.CacheKey == "" || !ok {
		return false
	}
	c.cache, c.entry = cache, x.adapter.Plan().Config().Name+"\x00"+x.method+"\x00"+x.info.CacheKey
	if settings.Fresh == 0 {
		return false
	}
	found, status := c.lookup()
	if found == nil {
		return false
	}
	if status == stale.Stale {
		if c.leased = cache.Lease(seakeep.Now(), c.entry); c.leased {
			return false
		}
	}
	fill(reply, found)
	x.adapter.Reported(x.info, "cache", c.age)
	return true
}

func (c *caching) lookup() (proto.Message, stale.Status) {
	v, age, status := c.cache.Lookup(seakeep.Now(), c.entry)
	m, ok := v.(proto.Message)
	if status == stale.Miss || !ok {
		return nil, stale.Miss
	}
	c.age = age
	return m, status
}

// release gives the lease for renewing the answer back.
func (c *caching) release() {
	if c.leased {
		c.leased = false
		c.cache.Done(seakeep.Now(), c.entry)
	}
}

// store keeps the answer.
func (c *caching) store(reply any) {
	if c.cache == nil {
		return
	}
	m := proto.Clone(reply.(proto.Message))
	c.cache.Store(seakeep.Now(), c.entry, m, int64(proto.Size(m)))
}

var (
	errNothingCached = errors.New("nothing cached")
	errNotProto      = errors.New("the answer is no message of protobuf")
)

// fallBack makes the reply that of the first fallback that has one, and tells
// why the last had none.
func (c *caching) fallBack(x *exchange, reply any) error {
	var why error
	for _, a := range x.adapter.Fallback().Order {
		kind, err := c.answer(a, reply)
		if err == nil {
			age := time.Duration(0)
			if kind == "cache" {
				age = c.age
			}
			x.adapter.Answered(x.info, kind, age)
			return nil
		}
		why = err
	}
	return why
}

func (c *caching) answer(a seakeep.Answer, reply any) (kind string, err error) {
	m, ok := reply.(proto.Message)
	switch {
	case !ok:
		return "", errNotProto
	case a.Cache != nil:
		if c.cache == nil {
			return "", errNothingCached
		}
		found, _ := c.lookup()
		if found == nil {
			return "", errNothingCached
		}
		fill(reply, found)
		return "cache", nil
	case a.Static != nil:
		return "static", static(a.Static, m)
	case a.Omit != nil:
		proto.Reset(m)
		return "omit", nil
	}
	return "", fmt.Errorf("another dependency (%s) can be asked over HTTP only", a.Dependency)
}

// static reads the answer that stands in the policy file, as JSON.
func static(s *seakeep.Static, m proto.Message) error {
	if s.Status >= 300 {
		return fmt.Errorf("the static answer has status %d, which is none of gRPC", s.Status)
	}
	return protojson.Unmarshal([]byte(s.Body), m)
}

// exercise tries, beside a healthy call, the fallback that can be written wrong.
func (u *unary) exercise(reply any) {
	m, ok := reply.(proto.Message)
	if !ok || u.adapter.Fallback().Exercise == 0 || !u.adapter.ExerciseDue() {
		return
	}
	for _, a := range u.adapter.Fallback().Order {
		if a.Static != nil {
			u.adapter.Exercised("static", static(a.Static, m.ProtoReflect().New().Interface()))
		}
	}
}
