package config

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/seakeep/seakeep/core/health"
)

// Health says how endpoints are asked whether they are well.
type Health struct {
	health.Config // filled, without a seed
	Kind          HealthKind
	Path          string        // HTTP: with a query, if it has one
	Host          string        // HTTP and gRPC: the host that is named; empty: the endpoint's
	Expect        []int         // HTTP: the statuses that pass
	Service       string        // gRPC: which service; empty: the server as a whole
	Port          int           // where to ask; 0: the endpoint's own
	Timeout       time.Duration // of one check
	Observe       bool          // only report who would be out
}

// HealthKind is what a health check asks.
type HealthKind uint8

const (
	// HTTPCheck gets a path.
	HTTPCheck HealthKind = iota
	// GRPCCheck asks grpc.health.v1.
	GRPCCheck
	// TCPCheck opens a connection and closes it.
	TCPCheck
)

// String returns the kind as the file has it.
func (k HealthKind) String() string {
	names := [...]string{"http", "grpc", "tcp"}
	if int(k) < len(names) {
		return names[k]
	}
	return "invalid"
}

var (
	checkedForm = regexp.MustCompile(`^/[!-~]*$`)
	namedForm   = regexp.MustCompile(`^[A-Za-z0-9._~\[\]:-]{1,253}$`)
	serviceForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]{0,250}$`)
)

// checks reads how endpoints are checked; nil if they are not.
func (o *object) checks(dep *Dependency) *Health {
	s, on := o.rung("health", "{path: /healthz, interval: 5s}")
	if !on {
		return nil
	}
	defer s.close()
	v := &Health{Config: health.Config{}.Filled(), Timeout: time.Second}
	s.checkOf(v)
	c := &v.Config
	times := within(time.Millisecond, 24*time.Hour, "5s")
	s.duration("interval", &c.Every.Up, times)
	c.Every.Down, c.Every.Edge = c.Every.Up, max(c.Every.Up/5, time.Millisecond)
	s.duration("down", &c.Every.Down, times)
	times.like = "1s"
	s.duration("edge", &c.Every.Edge, times)
	s.duration("timeout", &v.Timeout, within(time.Millisecond, time.Hour, "1s"))
	s.integer("unhealthy", &c.Unhealthy, within(1, 1000, "3"))
	s.integer("healthy", &c.Healthy, within(1, 1000, "2"))
	if s.switchedOff("jitter") {
		c.Jitter = health.Off
	} else {
		s.share("jitter", &c.Jitter, within(0.001, 0.5, "10%"))
	}
	s.share("max-removed", &c.MaxOut, within(0.01, 1, "50%"))
	v.Observe = s.observes()
	s.check(c.Validate(), healthFields)
	o.warnNobody("health.max-removed", c.MaxOut, dep)
	return v
}

// warnNobody warns of a share that is less than one endpoint.
func (o *object) warnNobody(key string, share float64, dep *Dependency) {
	n := len(dep.Endpoints)
	if n == 0 || int(share*float64(n)+1e-9) > 0 || o.d.failures > 0 {
		return
	}
	fix := "add endpoints, or remove the section"
	if n > 1 {
		fix = "give " + showShare(math.Ceil(1e4/float64(n))/1e4) + " or more"
	}
	o.warn([]string{key}, fmt.Sprintf("no endpoint is ever taken out: %s of %d is less than one",
		showShare(share), n), fix)
}

// healthFields are the keys of the monitor's fields.
var healthFields = map[string]string{
	"Every.Up": "interval", "Every.Down": "down", "Every.Edge": "edge", "Unhealthy": "unhealthy",
	"Healthy": "healthy", "Jitter": "jitter", "MaxOut": "max-removed",
}

// checkOf reads what a check asks. What its kind does not use must not be there.
func (o *object) checkOf(v *Health) {
	choose(o, "type", &v.Kind, option[HealthKind]{"http", HTTPCheck},
		option[HealthKind]{"grpc", GRPCCheck}, option[HealthKind]{"tcp", TCPCheck})
	switch v.Kind {
	case HTTPCheck:
		o.notWith("a check by HTTP", "service")
	case GRPCCheck:
		o.notWith("a check by gRPC", "path", "expect")
	case TCPCheck:
		o.notWith("a check by TCP", "path", "expect", "host", "service")
	}
	if v.Kind == HTTPCheck {
		v.Path, v.Expect = "/healthz", []int{200}
		f := o.text("path", &v.Path, checkedForm, "a path such as /healthz")
		o.note("path", f, v.Path)
		o.expect(v)
	}
	if v.Kind != TCPCheck {
		f := o.text("host", &v.Host, namedForm, "the name of a host, such as api.example")
		o.note("host", f, cmp.Or(v.Host, "the endpoint's"))
	}
	if v.Kind == GRPCCheck {
		f := o.text("service", &v.Service, serviceForm, "the name of a service, such as shop.Pricing")
		o.note("service", f, cmp.Or(v.Service, "the server as a whole"))
	}
	port := within(1, 65535, "8081")
	port.off = "the endpoint's"
	o.integer("port", &v.Port, port)
}

// expect reads one status, or a list of them.
func (o *object) expect(v *Health) {
	f := o.find("expect")
	if f != nil {
		items := []*field{f}
		if f.node.Kind == yaml.SequenceNode {
			items = f.items("statuses such as [200, 204]")
		}
		v.Expect = nil
		for _, item := range items {
			n, ok := scalarOf(item, integers, within(100, 599, "200"))
			switch {
			case ok && slices.Contains(v.Expect, n):
				item.fail(quote(item.node)+" is in the list already", "remove it")
			case ok:
				v.Expect = append(v.Expect, n)
			}
		}
	}
	words := make([]string, len(v.Expect))
	for i, n := range v.Expect {
		words[i] = strconv.Itoa(n)
	}
	o.note("expect", f, strings.Join(words, ", "))
}
