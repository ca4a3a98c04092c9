package config

import (
	"time"

	"github.com/seakeep/seakeep/core/outlier"
)

// Outlier says which endpoints are taken out because they are worse than the
// others.
type Outlier struct {
	outlier.Config      // filled
	Observe        bool // only report who would be out
}

// outlier reads which endpoints are ejected; nil if none is.
func (o *object) outlier(dep *Dependency) *Outlier {
	s, on := o.rung("outlier", "{consecutive: 5, base: 30s}")
	if !on {
		return nil
	}
	defer s.close()
	v := &Outlier{Config: outlier.Config{}.Filled()}
	c := &v.Config
	s.duration("interval", &c.Interval, within(10*time.Millisecond, time.Hour, "10s"))
	s.consecutive(&c.Consecutive)
	s.successRate(&c.SuccessRate)
	s.failureShare(&c.FailureShare)
	s.slowness(&c.Latency)
	s.duration("base", &c.Base, within(10*time.Millisecond, 24*time.Hour, "30s"))
	c.Cap = max(c.Cap, c.Base)
	s.duration("cap", &c.Cap, within(10*time.Millisecond, 24*time.Hour, "5m"))
	s.share("max-ejected", &c.MaxOut.Share, within(0.01, 1, "50%"))
	s.boolean("always-one", &c.MaxOut.AlwaysOne)
	v.Observe = s.observes()
	if c.Cap < c.Base {
		s.refuse("cap", showDuration(c.Cap)+" is less than base, "+showDuration(c.Base),
			"give more, or a shorter base")
	}
	if c.Consecutive.Errors == outlier.Off && c.Consecutive.Gateway+c.Consecutive.Local == 0 &&
		c.SuccessRate.Sigma == outlier.Off && c.FailureShare.Share == outlier.Off &&
		c.Latency.Factor == outlier.Off {
		s.refuse("consecutive", "nothing would ever take an endpoint out",
			"leave one of the rules on, or write outlier: none")
	}
	s.check(c.Validate(), outlierFields)
	if !c.MaxOut.AlwaysOne || len(dep.Endpoints) == 1 {
		o.warnNobody("outlier.max-ejected", c.MaxOut.Share, dep)
	}
	return v
}

// observes reports whether what is no rung of a call only watches.
func (o *object) observes() bool {
	m := enforce
	choose(o, "mode", &m, option[mode]{"enforce", enforce}, option[mode]{"observe", observe})
	return m == observe
}

// outlierFields are the keys of the detector's fields.
var outlierFields = map[string]string{
	"Interval": "interval", "Consecutive.Errors": "consecutive.errors",
	"Consecutive.Gateway": "consecutive.gateway", "Consecutive.Local": "consecutive.local",
	"SuccessRate.Sigma": "success-rate.sigma", "SuccessRate.Hosts": "success-rate.endpoints",
	"SuccessRate.Requests": "success-rate.requests", "FailureShare.Share": "failures.share",
	"FailureShare.Hosts": "failures.endpoints", "FailureShare.Requests": "failures.requests",
	"FailureShare.Enforce": "failures.enforce", "Latency.Factor": "latency.factor",
	"Latency.Quantile": "latency.quantile", "Latency.Over": "latency.over",
	"Latency.Hosts": "latency.endpoints", "Latency.Requests": "latency.requests",
	"Base": "base", "Cap": "cap", "MaxOut.Share": "max-ejected",
}

// rule is a section that is on unless it says none.
func (o *object) rule(key, first, want string) (s *object, on bool) {
	if o.switchedOff(key) {
		return nil, false
	}
	return o.short(key, first, want+", or "+off), true
}

func (o *object) consecutive(c *outlier.Consecutive) {
	s, on := o.rule("consecutive", "errors", "a number such as 5, or a section such as {errors: 5}")
	if !on {
		c.Errors = outlier.Off
		return
	}
	defer s.close()
	if s.switchedOff("errors") {
		c.Errors = outlier.Off
	} else {
		s.integer("errors", &c.Errors, within(1, 10_000, "5"))
	}
	apart := within(1, 10_000, "5")
	apart.off = "no count of their own"
	s.integer("gateway", &c.Gateway, apart)
	apart.off = "counted as errors"
	s.integer("local", &c.Local, apart)
}

// judged are the limits of a rule's numbers of endpoints and of requests.
func (o *object) judged(hosts, requests *int, like string) {
	o.integer("endpoints", hosts, within(1, maxEndpoints, "5"))
	o.integer("requests", requests, within[int](1, 1e6, like))
}

func (o *object) successRate(c *outlier.SuccessRate) {
	s, on := o.rule("success-rate", "sigma", "a number such as 1.9, or a section such as {sigma: 1.9}")
	if !on {
		c.Sigma = outlier.Off
		return
	}
	defer s.close()
	s.factor("sigma", &c.Sigma, within(0.1, 10, "1.9"))
	s.judged(&c.Hosts, &c.Requests, "100")
}

func (o *object) failureShare(c *outlier.FailureShare) {
	s, on := o.rule("failures", "share", "a share such as 85%, or a section such as {share: 85%}")
	if !on {
		c.Share = outlier.Off
		return
	}
	defer s.close()
	s.share("share", &c.Share, within(0.01, 1, "85%"))
	s.judged(&c.Hosts, &c.Requests, "50")
	s.share("enforce", &c.Enforce, within(0.0001, 1, "100%"))
}

func (o *object) slowness(c *outlier.Latency) {
	s, on := o.rule("latency", "factor", "a number such as 5, or a section such as {factor: 5}")
	if !on {
		c.Factor = outlier.Off
		return
	}
	defer s.close()
	s.factor("factor", &c.Factor, within(1.1, 1000, "5"))
	s.share("quantile", &c.Quantile, within(0.01, 1, "50%"))
	s.duration("over", &c.Over, within(time.Microsecond, time.Hour, "10ms"))
	s.judged(&c.Hosts, &c.Requests, "20")
}
