package sim

import (
	"strconv"
	"strings"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/shard"
)

// tenancy says which instances of each service a member's tenants may use; nil
// if all may use all.
type tenancy struct {
	cfg *config.Shards
	of  []*service
	all []*shard.Shards // of the services, in the order of of
}

// newTenancy reads what a policy says of a dependency. It belongs to the whole
// of it, not to an operation.
func newTenancy(f *config.File, name string) *tenancy {
	if d := dependencyOf(f, name); d != nil && d.Shards != nil {
		return &tenancy{cfg: d.Shards}
	}
	return nil
}

// dependencyOf returns the dependency that a name, perhaps of an operation, is
// about; nil if a policy says nothing of it.
func dependencyOf(f *config.File, name string) *config.Dependency {
	if f == nil {
		return nil
	}
	name, _, _ = strings.Cut(name, "/")
	return f.Dependency(name)
}

// shards returns those of a service's instances, which are known by their number.
func (t *tenancy) shards(of *service) *shard.Shards {
	for n, s := range t.of {
		if s == of {
			return t.all[n]
		}
	}
	names := make([]string, len(of.instances))
	for i := range names {
		names[i] = of.cfg.Name + "/" + strconv.Itoa(i)
	}
	s, err := shard.New(t.cfg.Config, names)
	if err != nil {
		panic("sim: " + err.Error()) // the readers of files have checked it
	}
	t.of, t.all = append(t.of, of), append(t.all, s)
	return s
}

// choice is what the next attempt may choose among: the instances that serve the
// call's tenant, and if it has been at all of them and the policy says so, any.
func (o *outcall) choice() balance.Choice {
	c := balance.Choice{Tried: o.tried}
	t := o.member.tenancy
	if t == nil {
		return c
	}
	if c.Only = t.shards(o.dest).Of(o.tenant); t.cfg.Overflow && c.Only&^o.tried == 0 {
		c.Only = 0
	}
	return c
}
