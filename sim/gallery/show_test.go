package gallery

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestShow(t *testing.T) {
	only := strings.Fields(os.Getenv("ONLY"))
	cards, err := Choose(only...)
	if err != nil {
		t.Fatal(err)
	}
	seed, _ := strconv.Atoi(os.Getenv("SEED"))
	for _, e := range cards {
		start := time.Now()
		c := e.Run(Options{Seed: uint64(seed)})
		if os.Getenv("QUIET") == "" || !c.Matches() && !c.Missing() {
			fmt.Printf("%-12s %6d ms  %s\n", c.ID, time.Since(start).Milliseconds(), c.Verdict)
		}
		for _, f := range c.Figures {
			if !f.Match && !c.Missing() || os.Getenv("ALL") != "" {
				fmt.Printf("      %v %s: %s | %s %s\n", f.Match, f.Name, f.Published, f.Ours, f.Interval)
			}
		}
	}
}
