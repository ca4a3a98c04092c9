package proxy

import (
	"net/http"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/failover"
	"github.com/seakeep/seakeep/core/shard"
)

// failoverView is where the calls of a dependency with a second provider go.
type failoverView struct {
	To     string     `json:"to"`
	State  string     `json:"state"`
	Share  float64    `json:"first_share"`
	Window countsView `json:"window"` // on the way back: of the step
	WaitMS *float64   `json:"wait_ms,omitempty"`
	// Returns are ways back that failed since the first provider was left.
	Returns  int    `json:"failed_returns"`
	Observed bool   `json:"observed,omitempty"` // it only reports: all calls stay
	ToFirst  uint64 `json:"to_first"`
	ToSecond uint64 `json:"to_second"`
}

func failoverOf(set *seakeep.Set, d *config.Dependency) *failoverView {
	s, ok := set.Failover(d.Name)
	if !ok || d.Failover == nil {
		return nil
	}
	v := &failoverView{To: d.Failover.To, State: s.State.String(), Share: s.Share,
		Window: countsOf(s.Calls), Returns: s.Returns,
		Observed: d.Failover.Observe, ToFirst: s.ToFirst, ToSecond: s.ToSecond}
	if s.State != failover.First {
		ms := millis(s.Wait)
		v.WaitMS = &ms
	}
	return v
}

// shardsView is how tenants share the endpoints.
type shardsView struct {
	Size     int    `json:"size"`
	Key      string `json:"key"`
	Overflow bool   `json:"overflow"`
	// Shards is how many there are; it is left out if there are no endpoints.
	Shards uint64 `json:"shards,omitempty"`
}

func shardsOf(d *config.Dependency, endpoints int) *shardsView {
	s := d.Shards
	if s == nil {
		return nil
	}
	v := &shardsView{Size: s.Size, Key: s.Key, Overflow: s.Overflow}
	if endpoints > 0 && endpoints <= shard.MaxEndpoints {
		v.Shards, _ = shard.Count(endpoints, min(s.Size, endpoints))
	}
	return v
}

// showShard tells which endpoints serve a tenant, or requests without one.
func (p *Proxy) showShard(w http.ResponseWriter, r *http.Request) {
	name, tenant := r.PathValue("name"), r.URL.Query().Get("key")
	p.mu.Lock()
	t := p.transports[name]
	p.mu.Unlock()
	if t != nil {
		if endpoints, ok := t.Shard(tenant); ok {
			show(w, http.StatusOK, shardView{tenant, endpoints})
			return
		}
	}
	say(w, http.StatusNotFound, "the proxy offers no such dependency with shards")
}

type shardView struct {
	Key       string   `json:"key"`
	Endpoints []string `json:"endpoints"`
}
