package idempotency

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
//	config ttl=24h
//	0s admit k a run1 -> runs
//	1s admit k a run2 -> key-busy
//	2s report k run1 done 201 -> true
//	3s admit k a run3 -> key-replayed 201
//
// Steps are admit KEY REQUEST RUN [instead RUN], report KEY RUN STATE [ANSWER],
// reconfigure SETTINGS, sweep and state. A letter stands for a request.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player {
		var s *Memory
		return func(words []string) (string, error) {
			if words[0] == "config" {
				c, err := settings(words[1:])
				if err == nil {
					s, err = NewMemory(c)
				}
				return "", err
			}
			now, verb, args, err := golden.Timed(words)
			if err != nil {
				return "", err
			}
			return act(s, now, verb, args)
		}
	})
}

func act(s *Memory, now core.Instant, verb string, args []string) (string, error) {
	switch verb {
	case "admit":
		c := claim(args[0], args[1], args[2])
		if len(args) == 5 {
			c.Instead = args[4]
		}
		r, reason, err := s.Admit(now, c)
		if reason == core.NoReason {
			return "runs", err
		}
		return strings.TrimSpace(reason.String() + " " + string(r.Answer)), err
	case "report":
		e := Ending{State: stateNamed(args[2])}
		if len(args) > 3 {
			e.Answer = []byte(args[3])
		}
		kept, err := s.Report(now, Claim{Key: args[0], Owner: args[1]}, e)
		return fmt.Sprint(kept), err
	case "reconfigure":
		c, err := settings(args)
		if err != nil {
			return "", err
		}
		return "", s.Reconfigure(c)
	case "sweep":
		s.Sweep(now)
		return "", nil
	case "state":
		n := s.Snapshot(now)
		return fmt.Sprintf("entries %d running %d unknown %d bytes %d full %d not-stored %d",
			n.Entries, n.Running, n.Unknown, n.Bytes, n.Full, n.NotStored), nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}

func claim(key, request, owner string) Claim {
	var f Fingerprint
	copy(f[:], request)
	return Claim{Key: key, Owner: owner, Fingerprint: f}
}

func stateNamed(name string) State {
	for s := Fresh; s <= Unknown; s++ {
		if s.String() == name {
			return s
		}
	}
	panic("no state " + name)
}

func settings(words []string) (c Config, err error) {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "ttl":
			c.TTL, err = time.ParseDuration(value)
		case "run-again-after":
			c.RunAgainAfter, err = time.ParseDuration(value)
		case "longest":
			c.Longest, err = time.ParseDuration(value)
		case "entries":
			c.Entries, err = strconv.Atoi(value)
		case "entry-bytes":
			c.EntryBytes, err = strconv.ParseInt(value, 10, 64)
		case "bytes":
			c.Bytes, err = strconv.ParseInt(value, 10, 64)
		default:
			err = fmt.Errorf("no such setting: %s", name)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
