package balance

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
//	endpoints 2
//	0s pick -> 0
//	0s lost 0
//	0s pick tried 1 -> 1
//	1s answer 1
//	1s resting -> 0
//
// lost and answer report an attempt; pick may name the endpoints tried before;
// resting lists those that rest. A line that begins with # says why.
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
			var b *Balancer
			for i, line := range strings.Split(string(text), "\n") {
				if line == "" || strings.HasPrefix(line, "#") {
					continue
				}
				do, want, _ := strings.Cut(line, " -> ")
				got, err := run(&b, strings.Fields(do))
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
	at, err := time.ParseDuration(words[0])
	if err != nil {
		return "", err
	}
	now := core.Instant(at)
	switch words[1] {
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
		(*b).Report(now, numbers[0], words[1] == "answer")
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
	return "", fmt.Errorf("no such step")
}
