package quota

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/seakeep/seakeep/internal/golden"
)

// A script is a list of steps, each with what must come of it:
//
//	config 2
//	0s enter a -> 2
//	1s leave 2
//
// Steps are enter KEY, which answers the number and takes - for no key, leave
// NUMBER, resize KEYS, and state.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player {
		var table *Table
		return func(words []string) (string, error) {
			if words[0] == "config" {
				keys, err := strconv.Atoi(words[1])
				table = must(Config{Keys: keys})
				return "", err
			}
			now, verb, args, err := golden.Timed(words)
			if err != nil {
				return "", err
			}
			switch verb {
			case "enter":
				key := args[0]
				if key == "-" {
					key = ""
				}
				return fmt.Sprint(table.Enter(now, key)), nil
			case "leave":
				flow, err := strconv.Atoi(args[0])
				table.Leave(now, flow)
				return "", err
			case "resize":
				keys, err := strconv.Atoi(args[0])
				return "", firstOf(err, table.Resize(now, Config{Keys: keys}))
			case "state":
				s := table.Snapshot(now, 10)
				answer := fmt.Sprintf("%d of %d keys, forgot %d, none %d, overflow %d;",
					s.Keys, s.Most, s.Forgotten, s.None.Here, s.Overflow.Here)
				for _, row := range s.Top {
					answer += fmt.Sprintf(" %s=%d/%d", row.Key, row.Here, row.Entered)
				}
				return answer, nil
			}
			return "", fmt.Errorf("no verb %q", verb)
		}
	})
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
