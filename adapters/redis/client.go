package seakeepredis

import (
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/call"
)

// NewClient makes a client behind a dependency of the policy file, or behind one
// of its operations ("cache/sessions"). It changes a copy of the options as Tune
// does.
func NewClient(set *seakeep.Set, name string, o *redis.Options, m Mode) (*redis.Client, *Hook,
	error) {
	tuned := *o
	if err := Tune(set, name, &tuned); err != nil {
		return nil, nil, err
	}
	client := redis.NewClient(&tuned)
	h, err := Protect(set, name, client, m)
	if err != nil {
		return nil, nil, errors.Join(err, client.Close())
	}
	return client, h, nil
}

// Tune sets the options of a client that is to be protected: no retries of its
// own, one dial for a connection, contexts heeded, and the limits of the policy
// file for dialing and for waiting for a connection. The pool gets at least as
// many connections as the bulkhead has slots, so that a slot is a connection.
func Tune(set *seakeep.Set, name string, o *redis.Options) error {
	p, s, err := find(set, name)
	if err != nil {
		return err
	}
	o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled = -1, 1, true
	if s.Connect > 0 {
		o.DialTimeout = s.Connect
	}
	if s.Acquire > 0 {
		o.PoolTimeout = s.Acquire
	}
	c := p.Plan().Config()
	if c.Bulkhead != nil && !c.Observe.Has(call.RungBulkhead) && o.PoolSize < c.Bulkhead.Limit {
		o.PoolSize = c.Bulkhead.Limit
	}
	return nil
}

// Protect puts a client behind a dependency of the policy file. It refuses one
// that retries by itself or does not heed contexts, because the policy's limits
// would then not hold; Tune sets both.
//
// Of a ClusterClient the hook sees each command once: what it is redirected, up
// to MaxRedirects times, is within the attempt's limit.
func Protect(set *seakeep.Set, name string, client redis.UniversalClient, m Mode) (*Hook, error) {
	p, s, err := find(set, name)
	if err != nil {
		return nil, err
	}
	return protect(p, s.Connect, client, m)
}

// Wrap puts a client behind one policy without a file, as Protect does.
func Wrap(p *seakeep.Policy, client redis.UniversalClient, m Mode) (*Hook, error) {
	return protect(p, 0, client, m)
}

func protect(p *seakeep.Policy, connect time.Duration, client redis.UniversalClient, m Mode) (
	*Hook, error) {
	var retries int
	var heeds bool
	switch c := client.(type) {
	case *redis.Client:
		retries, heeds = c.Options().MaxRetries, c.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		retries, heeds = c.Options().MaxRetries, c.Options().ContextTimeoutEnabled
	case *redis.Ring:
		retries, heeds = c.Options().MaxRetries, c.Options().ContextTimeoutEnabled
	default:
		return nil, fmt.Errorf("seakeepredis: cannot see the settings of a %T: "+
			"use a *redis.Client, *redis.ClusterClient or *redis.Ring", client)
	}
	if retries > 0 {
		return nil, fmt.Errorf("seakeepredis: the client retries %d times by itself, beside the "+
			"retries of policy %q: set MaxRetries to -1, or use Tune", retries, p.Name())
	}
	if !heeds {
		return nil, fmt.Errorf("seakeepredis: the client does not heed the limits of policy %q: "+
			"set ContextTimeoutEnabled, or use Tune", p.Name())
	}
	h := &Hook{policy: p, mode: m, connect: connect}
	client.AddHook(h)
	return h, nil
}

// find looks a dependency up, or an operation as "dependency/operation".
func find(set *seakeep.Set, name string) (*seakeep.Policy, *config.Settings, error) {
	p, err := set.Policy(name)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range set.File().Dependencies {
		if d.Name == name {
			return p, &d.Settings, nil
		}
		for i := range d.Operations {
			if d.Name+"/"+d.Operations[i].Name == name {
				return p, &d.Operations[i].Settings, nil
			}
		}
	}
	return nil, nil, fmt.Errorf("seakeepredis: the policy file has no dependency %q", name)
}
