package gallery

import (
	"fmt"
	"os"
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
	for _, e := range cards {
		start := time.Now()
		c := e.Run(Options{Seed: 1})
		fmt.Printf("%-12s %6d ms  %s\n", c.ID, time.Since(start).Milliseconds(), c.Verdict)
		for _, f := range c.Figures {
			if !f.Match && !c.Missing() || os.Getenv("ALL") != "" {
				fmt.Printf("      %v %s: %s | %s %s\n", f.Match, f.Name, f.Published, f.Ours, f.Interval)
			}
		}
	}
}
