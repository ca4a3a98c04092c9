package shard

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata. "shards" takes the size, and "all"
// if requests without a key go everywhere, and then the endpoints; "of" answers
// with those that serve a key. "count" and "sharing" are the odds.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(player).play })
}

type player struct {
	names []string
	s     *Shards
}

func (p *player) play(words []string) (string, error) {
	args := words[1:]
	switch words[0] {
	case "shards":
		return p.make(args)
	case "of":
		key := ""
		if len(args) > 0 {
			key = args[0]
		}
		var in []string
		for i, name := range p.names {
			if p.s.Of(key)>>i&1 != 0 {
				in = append(in, name)
			}
		}
		return strings.Join(in, " "), nil
	}
	var n [3]int
	for i, arg := range args {
		var err error
		if n[i], err = strconv.Atoi(arg); err != nil {
			return "", err
		}
	}
	switch words[0] {
	case "count":
		c, ok := Count(n[0], n[1])
		if !ok {
			return "too many", nil
		}
		return strconv.FormatUint(c, 10), nil
	case "sharing":
		return fmt.Sprintf("%.2f %%", 100*Sharing(n[0], n[1], n[2])), nil
	case "blast":
		h := Blast(n[0], n[1])
		return fmt.Sprintf("%.2f %% failed, %.2f %% degraded, %.2f %% untouched", 100*h.Failed,
			100*h.Degraded, 100*h.Untouched), nil
	}
	return "", fmt.Errorf("no verb %q", words[0])
}

func (p *player) make(args []string) (string, error) {
	var c Config
	var err error
	if c.Size, err = strconv.Atoi(args[0]); err != nil {
		return "", err
	}
	if args = args[1:]; len(args) > 0 && args[0] == "all" {
		c.Anonymous, args = AllEndpoints, args[1:]
	}
	p.names = args
	if p.s, err = New(c, args); err != nil {
		return err.Error(), nil
	}
	return "", nil
}
