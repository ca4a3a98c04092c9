package sim

import "github.com/seakeep/seakeep/config"

// feature is work that the door may leave out. Each has draws of its own, so
// that one more leaves those of all others as they are.
type feature struct {
	cfg   *config.Feature
	draws *Stream
}

// allows reports whether an instance does the work of a feature at present.
func (i *instance) allows(f *feature) bool {
	return i.door == nil || i.door.Allows(i.service.world.now, f.cfg.Name)
}

// newRoute makes a route of a service.
func (w *World) newRoute(service string, c *config.Route) *route {
	r := &route{cfg: c, work: c.Work, fails: c.Fails}
	for k := range c.Features {
		f := &c.Features[k]
		r.features = append(r.features, feature{f, w.stream(service, "feature "+f.Name)})
	}
	return r
}
