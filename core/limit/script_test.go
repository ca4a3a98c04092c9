package limit

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// A script is a list of steps, each with what must come of it:
//
//	config algorithm=knee initial=40
//	server workers=10 service=10ms
//	0s full 2s -> 28 at 820ms (trial), 19 at 1.54s (trial)
//	2s half 1s -> stays at 19
//	3s samples 10 of=10ms inflight=5 -> stays at 19
//	3s state -> limit 19 baseline 10ms latency 19ms gradient 0.70 trial
//
// A server serves in order of arrival. Full keeps as many requests under way as
// the limit allows, for so long; half and few keep half of that, and two.
// Samples reports so many at once, and drops so many that were dropped.
type script struct {
	l       *Limit
	workers int
	service time.Duration
}

func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return (&script{}).step })
}

func (s *script) step(words []string) (string, error) {
	switch words[0] {
	case "config":
		c, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		s.l, err = New(c, 1)
		return "", err
	case "server":
		_, err := fmt.Sscanf(strings.Join(words[1:], " "), "workers=%d", &s.workers)
		if err != nil {
			return "", err
		}
		s.service, err = time.ParseDuration(strings.TrimPrefix(words[2], "service="))
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	return s.act(now, verb, args)
}

func (s *script) act(now core.Instant, verb string, args []string) (string, error) {
	switch verb {
	case "full", "half", "few":
		long, err := time.ParseDuration(args[0])
		return s.load(now, verb, long), err
	case "samples":
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return "", err
		}
		rtt, err := time.ParseDuration(strings.TrimPrefix(args[1], "of="))
		if err != nil {
			return "", err
		}
		busy, err := strconv.Atoi(strings.TrimPrefix(args[2], "inflight="))
		return s.report(now, n, Sample{RTT: rtt, InFlight: busy}), err
	case "drops":
		n, err := strconv.Atoi(args[0])
		return s.report(now, n, Sample{Dropped: true, InFlight: s.l.Limit()}), err
	case "state":
		n := s.l.Snapshot(now)
		return fmt.Sprintf("limit %d baseline %v latency %v gradient %.2f %s", n.Limit,
			n.Baseline.Round(10*time.Microsecond), n.Latency.Round(10*time.Microsecond), n.Gradient, n.Why), nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}

func (s *script) report(now core.Instant, n int, sample Sample) string {
	var moves []string
	for range n {
		moves = s.told(moves, now, sample)
	}
	return s.moves(moves)
}

// load lets requests end at the pace at which a server ends them.
func (s *script) load(now core.Instant, how string, long time.Duration) string {
	var moves []string
	for end := now.Add(long); ; {
		n := s.l.Limit()
		switch how {
		case "half":
			n = (n + 1) / 2
		case "few":
			n = min(n, 2)
		}
		rtt := max(s.service, s.service*time.Duration(n)/time.Duration(s.workers))
		now = now.Add(rtt / time.Duration(n))
		if now >= end {
			return s.moves(moves)
		}
		moves = s.told(moves, now, Sample{RTT: rtt, InFlight: n})
	}
}

func (s *script) told(moves []string, now core.Instant, sample Sample) []string {
	if n, changed := s.l.Report(now, sample); changed {
		at := time.Duration(now).Round(10 * time.Millisecond)
		moves = append(moves, fmt.Sprintf("%d at %v (%s)", n, at, s.l.Snapshot(now).Why))
	}
	return moves
}

func (s *script) moves(moves []string) string {
	if len(moves) == 0 {
		return fmt.Sprintf("stays at %d", s.l.Limit())
	}
	if n := len(moves); n > 8 {
		moves = append(moves[:4:4], append([]string{fmt.Sprintf("%d more", n-8)}, moves[n-4:]...)...)
	}
	return strings.Join(moves, ", ")
}

func settings(words []string) (c Config, err error) {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "algorithm":
			ok := false
			if c.Algorithm, ok = ParseAlgorithm(value); !ok {
				err = fmt.Errorf("no such algorithm: %s", value)
			}
		case "min":
			c.Min, err = strconv.Atoi(value)
		case "max":
			c.Max, err = strconv.Atoi(value)
		case "initial":
			c.Initial, err = strconv.Atoi(value)
		case "slow":
			c.Slow, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("no such setting: %s", name)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
