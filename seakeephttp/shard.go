package seakeephttp

import (
	"context"
	"math/bits"
	"net/http"
	"slices"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/shard"
)

// tenants says which endpoints of a pool serve which tenant. It never changes.
type tenants struct {
	config *config.Shards
	shards *shard.Shards
	order  []int // the endpoints that the shards are of, by index in the balancer
}

// newTenants returns the shards of a pool's endpoints; nil if there are none, or
// no endpoints yet.
func newTenants(p *pool) *tenants {
	c := p.config.Shards
	if c == nil || p.dir == nil || len(p.order) == 0 {
		return nil
	}
	t := &tenants{config: c}
	var names []string
	for _, i := range p.order {
		if name := p.dir.at[i].Load().name; !slices.Contains(names, name) {
			names, t.order = append(names, name), append(t.order, i)
		}
	}
	var err error
	if t.shards, err = shard.New(c.Config, names); err != nil {
		panic("seakeephttp: " + err.Error()) // the file was checked
	}
	return t
}

// of returns the endpoints that may serve a request, a bit each; 0 is any.
func (t *tenants) of(req *http.Request) (only uint64) {
	if t == nil {
		return 0
	}
	return t.serving(req.Header.Get(t.config.Key))
}

// serving returns the endpoints that serve a tenant.
func (t *tenants) serving(key string) (only uint64) {
	for chosen := t.shards.Of(key); chosen != 0; chosen &= chosen - 1 {
		only |= 1 << t.order[bits.TrailingZeros64(chosen)]
	}
	return only
}

// Shard returns the endpoints that serve a tenant, as they are listed. It
// reports false if the dependency has no shards, or no endpoints yet.
func (t *Transport) Shard(tenant string) (endpoints []string, ok bool) {
	p := t.current()
	if p.tenants == nil {
		return nil, false
	}
	only := p.tenants.serving(tenant)
	for _, i := range p.order {
		if only>>i&1 != 0 {
			endpoints = append(endpoints, p.dir.at[i].Load().name)
		}
	}
	return endpoints, true
}

// choose picks the endpoint of the next attempt. A request that came before DNS
// had told of any endpoint belongs to a shard as soon as it has.
func (x *exchange) choose(ctx context.Context) bool {
	if p := x.pool; p.tenants == nil && p.dir != nil && p.config.Shards != nil {
		p.of.awaitResolved(ctx)
		if now := p.of.current(); now.dir == p.dir && now.tenants != nil {
			x.pool, x.only = now, now.tenants.of(x.req)
		}
	}
	return x.at.choose(ctx, x.pool, x.choice())
}

// choice is what the next attempt may choose among: the endpoints of its tenant,
// and if it has been at all of them and the file says so, any.
func (x *exchange) choice() balance.Choice {
	c := balance.Choice{Tried: x.tried, Only: x.only}
	if t := x.pool.tenants; t != nil && t.config.Overflow && x.only&^x.tried == 0 {
		c.Only = 0
	}
	return c
}
