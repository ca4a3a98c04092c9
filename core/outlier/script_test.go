package outlier

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata. "detector" makes one; every other
// line is a time, a verb and what it needs:
//
//	detector hosts=3 errors=2 base=60s
//	1s fail 0 2 -> out 0
//	10s sweep -> nothing, next at 20s
//	10s state 0 -> out by errors until 1m1s, ejection 1
//
// An attempt's verb says how it ended: ok, fail, gateway, refused, reset,
// timeout, busy (429), unavailable (503), cancelled or ignored. Behind it stand
// the endpoint, how many of them, and how long each took.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(player).play })
}

type player struct{ d *Detector }

func (p *player) play(words []string) (string, error) {
	if words[0] == "detector" {
		c, hosts, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		if p.d, err = New(c); err == nil {
			p.d.Use(0, 1<<hosts-1)
		}
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	if r, ok := results[verb]; ok {
		return p.report(now, r, args)
	}
	return p.do(now, verb, args)
}

var results = map[string]core.Result{
	"ok":          {Outcome: core.Success},
	"fail":        {Outcome: core.Failure, Cause: core.ServerError},
	"gateway":     {Outcome: core.Failure, Cause: core.BadGateway},
	"refused":     {Outcome: core.Failure, Cause: core.Unsent},
	"reset":       {Outcome: core.Failure, Cause: core.Reset},
	"timeout":     {Outcome: core.Timeout, Cause: core.TimedOut},
	"busy":        {Outcome: core.Overloaded, Cause: core.TooMany},
	"unavailable": {Outcome: core.Overloaded, Cause: core.Unavailable},
	"cancelled":   {Outcome: core.Cancelled},
	"ignored":     {Outcome: core.Ignored, Cause: core.ClientError},
}

func (p *player) report(now core.Instant, r core.Result, args []string) (string, error) {
	i, err := strconv.Atoi(args[0])
	times, took := 1, time.Duration(0)
	for _, arg := range args[1:] {
		if n, e := strconv.Atoi(arg); e == nil {
			times = n
		} else if took, err = time.ParseDuration(arg); err != nil {
			return "", err
		}
	}
	var changed uint64
	for range times {
		changed ^= p.d.Report(now, i, took, r)
	}
	return p.changes(changed), err
}

func (p *player) changes(changed uint64) string {
	var out, back []string
	for i := range 64 {
		switch {
		case changed>>i&1 == 0:
		case p.d.Ejected()>>i&1 != 0:
			out = append(out, strconv.Itoa(i))
		default:
			back = append(back, strconv.Itoa(i))
		}
	}
	var s []string
	if out != nil {
		s = append(s, "out "+strings.Join(out, " "))
	}
	if back != nil {
		s = append(s, "back "+strings.Join(back, " "))
	}
	return strings.Join(s, ", ")
}

func (p *player) do(now core.Instant, verb string, args []string) (string, error) {
	var numbers []int
	mask := uint64(0)
	for _, a := range args {
		if n, err := strconv.Atoi(a); err == nil {
			numbers = append(numbers, n)
			mask |= 1 << n
		}
	}
	switch verb {
	case "sweep":
		changed, next := p.d.Sweep(now)
		said := p.changes(changed)
		if said == "" {
			said = "nothing"
		}
		if next == core.Never {
			return said, nil
		}
		return said + ", next at " + time.Duration(next).String(), nil
	case "state":
		e := p.d.Snapshot(now)[numbers[0]]
		said := "in"
		if e.Out {
			said = fmt.Sprintf("out by %v until %v", e.Rule, time.Duration(e.Until))
		}
		if e.Ejected > 0 {
			said += fmt.Sprintf(", ejection %d, counts as %d", e.Ejected, e.Times)
		}
		if e.Spared > 0 {
			said += fmt.Sprintf(", spared %d", e.Spared)
		}
		return said, nil
	case "last":
		l := p.d.Snapshot(now)[numbers[0]].Last
		return fmt.Sprintf("%d failed of %d, %v", l.Failures, l.Requests, l.Latency), nil
	case "use":
		p.d.Use(now, mask)
		return "", nil
	case "apart":
		p.d.Apart(now, mask)
		return "", nil
	case "restarted":
		p.d.Restarted(now, numbers[0])
		return "", nil
	case "reconfigure":
		c, _, err := settings(args)
		if err != nil {
			return "", err
		}
		return "", p.d.Reconfigure(now, c)
	}
	return "", fmt.Errorf("no verb %q", verb)
}

func settings(words []string) (c Config, hosts int, err error) {
	whole := map[string]*int{"hosts": &hosts, "errors": &c.Consecutive.Errors,
		"gateway": &c.Consecutive.Gateway, "local": &c.Consecutive.Local,
		"rate-hosts": &c.SuccessRate.Hosts, "rate-requests": &c.SuccessRate.Requests,
		"share-hosts": &c.FailureShare.Hosts, "share-requests": &c.FailureShare.Requests,
		"slow-hosts": &c.Latency.Hosts, "slow-requests": &c.Latency.Requests}
	real := map[string]*float64{"sigma": &c.SuccessRate.Sigma, "share": &c.FailureShare.Share,
		"enforce": &c.FailureShare.Enforce, "factor": &c.Latency.Factor,
		"quantile": &c.Latency.Quantile, "max": &c.MaxOut.Share}
	times := map[string]*time.Duration{"interval": &c.Interval, "base": &c.Base, "cap": &c.Cap,
		"over": &c.Latency.Over}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if value == "off" {
			value = "-1"
		}
		switch {
		case whole[key] != nil:
			*whole[key], err = strconv.Atoi(value)
		case real[key] != nil:
			*real[key], err = strconv.ParseFloat(value, 64)
		case times[key] != nil:
			*times[key], err = time.ParseDuration(value)
		case key == "always-one":
			c.MaxOut.AlwaysOne = true
		default:
			err = fmt.Errorf("no setting %q", key)
		}
		if err != nil {
			return c, 0, err
		}
	}
	return c, hosts, nil
}
