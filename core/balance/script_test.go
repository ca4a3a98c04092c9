package balance

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/internal/golden"
)

// A script is a list of steps, each with what must come of it:
//
//	endpoints 2
//	0s pick -> 0
//	0s lost 0
//	0s pick tried 1 -> 1
//	1s answer 1
//	1s resting -> 0
//
// lost and answer report an attempt; pick may name the endpoints tried before;
// resting lists those that rest.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player {
		var b *Balancer
		return func(words []string) (string, error) { return run(&b, words) }
	})
}

func run(b **Balancer, words []string) (string, error) {
	numbers := []int{}
	for _, w := range words[1:] {
		if n, err := strconv.Atoi(w); err == nil {
			numbers = append(numbers, n)
		}
	}
	if words[0] == "endpoints" {
		*b = New(numbers[0])
		return "", nil
	}
	now, verb, _, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	switch verb {
	case "pick":
		tried := uint64(0)
		for _, n := range numbers {
			tried |= 1 << n
		}
		i, ok := (*b).Pick(now, tried)
		if !ok {
			return "none", nil
		}
		return strconv.Itoa(i), nil
	case "lost", "answer":
		(*b).Report(now, numbers[0], verb == "answer")
		return "", nil
	case "resting":
		var out []string
		for i, e := range (*b).Snapshot(now) {
			if e.Resting {
				out = append(out, fmt.Sprintf("%d for %v", i, e.Trial))
			}
		}
		return strings.Join(out, ", "), nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}
