package window

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata: "config" makes a window, "ok" and
// "fail", with or without "slow", record a result, and what the window then
// holds stands behind the arrow.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player {
		var w *Window
		return func(words []string) (string, error) { return play(&w, words) }
	})
}

func play(w **Window, words []string) (string, error) {
	if words[0] == "config" {
		c, err := parseConfig(words[1:])
		if err == nil {
			*w = New(c)
		}
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	switch verb {
	case "ok", "fail":
		(*w).Record(now, verb == "fail", len(args) > 0 && args[0] == "slow")
	case "reset":
		(*w).Reset(now)
	case "read":
	default:
		return "", fmt.Errorf("no verb %q", verb)
	}
	c := (*w).Counts(now)
	return fmt.Sprintf("%d calls %d failed %d slow, %d in a row",
		c.Calls, c.Failed, c.Slow, (*w).InARow()), nil
}

func parseConfig(words []string) (c Config, err error) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "over":
			c.Over, err = time.ParseDuration(value)
		case "buckets":
			c.Buckets, err = strconv.Atoi(value)
		case "calls":
			c.Calls, err = strconv.Atoi(value)
		case "row":
			c.Consecutive, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("no setting %q", key)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
