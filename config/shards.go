package config

import (
	"fmt"

	"github.com/seakeep/seakeep/core/shard"
)

// Shards says which endpoints serve which tenant.
type Shards struct {
	shard.Config
	Key string // the header that names the tenant
	// Overflow lets a call that has been at every endpoint of its shard go on
	// to others. Without it the call fails, because isolation is the point.
	Overflow bool
}

// shards reads how tenants share the endpoints; nil if they all use all.
func (o *object) shards(dep *Dependency) *Shards {
	s, on := o.rung("shards", "{size: 2, key: X-Tenant}")
	if !on {
		return nil
	}
	defer s.close()
	c := &Shards{}
	s.require("size", "how many endpoints serve one tenant, such as 2")
	s.integer("size", &c.Size, within(1, shard.MaxEndpoints, "2"))
	s.require("key", "the header that names the tenant, such as X-Tenant")
	s.headerName("key", &c.Key, "X-Tenant")
	choose(s, "anonymous", &c.Anonymous, option[shard.Anonymous]{"shard", shard.OneShard},
		option[shard.Anonymous]{"all", shard.AllEndpoints})
	choose(s, "overflow", &c.Overflow, option[bool]{"fail", false}, option[bool]{"any", true})
	o.warnWhole(c, len(dep.Endpoints))
	o.warnAlone(c, dep)
	return c
}

// warnWhole warns of shards that isolate nobody.
func (o *object) warnWhole(c *Shards, n int) {
	if n == 0 || c.Size < n || o.d.failures > 0 {
		return
	}
	o.warn([]string{"shards.size"},
		fmt.Sprintf("each tenant has all of the %d endpoints, so one can take everybody down", n),
		"give less, or add endpoints")
}

// warnAlone warns of shards in which no retry can go elsewhere.
func (o *object) warnAlone(c *Shards, dep *Dependency) {
	r := dep.Call.Retry
	if c.Size != 1 || c.Overflow || r == nil || r.Attempts < 2 || o.d.failures > 0 {
		return
	}
	o.warn([]string{"shards.size"}, "with one endpoint for each tenant a retry comes back to the "+
		"endpoint that has just failed", "give 2 or more, or overflow: any")
}
