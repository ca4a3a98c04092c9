package stale

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
//	config fresh=10s stale=60s
//	0s store k v1 2
//	5s lookup k -> v1 fresh age 5s
//	11s lease k -> true
//
// Steps are store KEY VALUE SIZE, lookup KEY, lease KEY, done KEY, remove KEY,
// reconfigure SETTINGS and state.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player {
		var c *Cache
		return func(words []string) (string, error) { return run(&c, words) }
	})
}

func run(c **Cache, words []string) (string, error) {
	if words[0] == "config" {
		conf, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		*c, err = New(conf)
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	return act(*c, now, verb, args)
}

func act(c *Cache, now core.Instant, verb string, args []string) (string, error) {
	switch verb {
	case "store":
		size, err := strconv.ParseInt(args[2], 10, 64)
		c.Store(now, args[0], args[1], size)
		return "", err
	case "lookup":
		v, age, s := c.Lookup(now, args[0])
		if s == Miss {
			return s.String(), nil
		}
		return fmt.Sprintf("%v %v age %v", v, s, age), nil
	case "lease":
		return fmt.Sprint(c.Lease(now, args[0])), nil
	case "done":
		c.Done(now, args[0])
		return "", nil
	case "remove":
		c.Remove(args[0])
		return "", nil
	case "reconfigure":
		conf, err := settings(args)
		if err != nil {
			return "", err
		}
		return "", c.Reconfigure(now, conf)
	case "state":
		n := c.Snapshot(now)
		return fmt.Sprintf("entries %d bytes %d stored %d evicted %d too-large %d",
			n.Entries, n.Bytes, n.Stored, n.Evicted, n.TooLarge), nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}

func settings(words []string) (c Config, err error) {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "fresh":
			c.Fresh, err = time.ParseDuration(value)
		case "stale":
			c.Stale, err = time.ParseDuration(value)
		case "entries":
			c.Entries, err = strconv.Atoi(value)
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
