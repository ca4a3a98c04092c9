package stale

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// A script is a list of steps, each with what must come of it:
//
//	config fresh=10s stale=60s
//	0s store k v1 2
//	5s lookup k -> v1 fresh age 5s
//	11s lease k -> true
//
// Steps are store KEY VALUE SIZE, lookup KEY, lease KEY, done KEY, remove KEY,
// reconfigure SETTINGS and state. A line that begins with # says why.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var c *Cache
			for i, line := range strings.Split(string(text), "\n") {
				if line == "" || strings.HasPrefix(line, "#") {
					continue
				}
				step, want, _ := strings.Cut(line, " -> ")
				got, err := run(&c, strings.Fields(step))
				if err != nil {
					t.Fatalf("%s:%d: %s: %v", file, i+1, line, err)
				}
				if got != want {
					t.Errorf("%s:%d: %s\n\tgot %s", file, i+1, line, got)
				}
			}
		})
	}
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
	at, err := time.ParseDuration(words[0])
	if err != nil {
		return "", err
	}
	return act(*c, core.Instant(at), words[1], words[2:])
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
	return "", fmt.Errorf("no such step")
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
