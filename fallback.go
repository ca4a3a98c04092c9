package seakeep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/stale"
)

// What answers when a call does not; docs/policies/fallback.md explains it.
type (
	Fallback = config.Fallback
	Answer   = config.Answer
	Static   = config.Static
	Omit     = config.Omit
	Header   = config.Header
)

const (
	fallbackLimit   = 100
	fallbackTimeout = time.Second
)

// fallbacks is a compiled Fallback.
type fallbacks struct {
	cfg      Fallback
	cache    *stale.Cache
	cacheCfg *stale.Config
	slots    *bulkhead.Bulkhead
	*fallbackCounts
}

// fallbackCounts outlive reloads.
type fallbackCounts struct {
	credit   atomic.Uint64 // of Exercise, in millionths
	answered [len(kinds)]atomic.Uint64
	refused  atomic.Uint64
}

var kinds = [...]string{"cache", "static", "dependency", "omit", "function"}

const (
	kindCache = iota
	kindStatic
	kindDependency
	kindOmit
	kindFunction
)

func newFallbacks(old *fallbacks, c *Fallback) (*fallbacks, error) {
	if c == nil {
		c = new(Fallback)
	}
	f := &fallbacks{cfg: *c, fallbackCounts: new(fallbackCounts)}
	if f.cfg.Limit == 0 {
		f.cfg.Limit = fallbackLimit
	}
	if f.cfg.Timeout == 0 {
		f.cfg.Timeout = fallbackTimeout
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	if old != nil {
		f.slots, f.cache, f.fallbackCounts = old.slots, old.cache, old.fallbackCounts
	}
	return f, f.parts()
}

func (f *fallbacks) check() error {
	var errs []error
	if e := f.cfg.Exercise; !(e >= 0 && e <= 1) {
		errs = append(errs, fmt.Errorf("fallback: Exercise: is %v; give a share from 0 to 1", e))
	}
	if f.cfg.Limit < 0 {
		errs = append(errs, errors.New("fallback: Limit: is negative; give at least 1"))
	}
	if f.cfg.Timeout < 0 {
		errs = append(errs, errors.New("fallback: Timeout: is negative; give a time such as 100ms"))
	}
	for i, a := range f.cfg.Order {
		if a.Cache != nil {
			if f.cacheCfg != nil {
				errs = append(errs,
					fmt.Errorf("fallback: Order[%d]: is a second cache; keep one", i))
			}
			f.cacheCfg = a.Cache
			errs = append(errs, a.Cache.Validate())
		}
	}
	return errors.Join(errs...)
}

func (f *fallbacks) parts() (err error) {
	if f.slots == nil {
		f.slots, err = bulkhead.New(bulkhead.Config{Limit: f.cfg.Limit})
	}
	if f.cacheCfg == nil {
		f.cache = nil
	} else if f.cache == nil {
		f.cache, err = stale.New(*f.cacheCfg)
	}
	return err
}

// adopt gives the parts that outlive a reload their new settings.
func (f *fallbacks) adopt(now core.Instant) {
	_ = f.slots.Resize(now, bulkhead.Config{Limit: f.cfg.Limit}) // checked by newFallbacks
	if f.cache != nil {
		_ = f.cache.Reconfigure(now, *f.cacheCfg) // checked by newFallbacks
	}
}

// due reports whether this healthy call should exercise the fallback: exactly
// the stated share of calls, evenly spaced.
func (f *fallbacks) due() bool {
	return f.cfg.Exercise != 0 && f.turn()
}

func (f *fallbacks) turn() bool {
	const whole = 1_000_000
	step := uint64(math.Round(f.cfg.Exercise * whole))
	after := f.credit.Add(step)
	return after/whole != (after-step)/whole
}

// FallbackSnapshot counts what a policy's fallbacks did, since the start.
type FallbackSnapshot struct {
	Answered map[string]uint64 // by kind
	Refused  uint64            // no fallback had an answer
	Running  int
	Cache    *stale.Snapshot
}

func (f *fallbacks) snapshot(now core.Instant) *FallbackSnapshot {
	s := &FallbackSnapshot{Answered: map[string]uint64{}, Refused: f.refused.Load(),
		Running: f.slots.Snapshot(now).InUse}
	for i, kind := range kinds {
		if n := f.answered[i].Load(); n > 0 {
			s.Answered[kind] = n
		}
	}
	if f.cache != nil {
		c := f.cache.Snapshot(now)
		s.Cache = &c
	}
	return s
}

// decode turns a static body into the caller's type.
func decode[T any](body string) (v T, err error) {
	switch p := any(&v).(type) {
	case *string:
		*p = body
	case *[]byte:
		*p = []byte(body)
	default:
		err = json.Unmarshal([]byte(body), &v)
	}
	return v, err
}

var errFallbackFull = errors.New("too many fallbacks are running")

// guard runs one fallback within the policy's limit and time.
func (f *fallbacks) guard(ctx context.Context, run func(context.Context) error) error {
	if !f.slots.TryAcquire(Now(), bulkhead.Place{}) {
		return errFallbackFull
	}
	defer func() { f.slots.Release(Now(), bulkhead.Place{}) }()
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
	return run(ctx)
}
