package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/presets"
)

// terminalIn reports whether somebody sits at r who can answer.
func terminalIn(r io.Reader) bool {
	file, ok := r.(*os.File)
	return ok && isTerminal(file)
}

// question is one of the interview. What put says against an answer is printed,
// and the question comes again.
type question struct {
	text, usual string // usual: what an empty answer stands for
	put         func(answer string) error
}

// ask is the interview: what flags did not say.
func (f *initFlags) ask(in *bufio.Reader, out io.Writer) error {
	for i, p := range presets.All() {
		fmt.Fprintf(out, "%2d  %-14s %s\n", i+1, p.Name, p.Title)
	}
	if err := put(in, out, question{"Which is the nearest? A number or a name", "9", f.putPreset}); err != nil {
		return err
	}
	chosen, _ := presets.Find(f.preset)
	like := chosen.Example()
	rest := []question{
		{"Name of your service", chosen.Name, func(a string) error { f.service = a; return f.check() }},
		{"Where the dependency is", "an address of this machine", func(a string) error {
			if !strings.HasPrefix(a, "an ") {
				f.endpoint = a
			}
			return f.check()
		}},
		{fmt.Sprintf("Calls to it, such as %g/s", like.Rate), "unknown", func(a string) error {
			f.rate = known(a)
			return f.check()
		}},
	}
	if !chosen.Many {
		rest = append(rest,
			question{fmt.Sprintf("Its p99, such as %v", like.P99), "unknown", f.putTime(&f.p99)},
			question{fmt.Sprintf("Its p99.9, such as %v", like.P999), "unknown", f.putTime(&f.p999)})
	}
	for _, q := range rest {
		if err := put(in, out, q); err != nil {
			return err
		}
	}
	return nil
}

func known(answer string) string {
	if answer == "unknown" {
		return ""
	}
	return answer
}

func (f *initFlags) putPreset(answer string) error {
	f.preset = answer
	if i, err := strconv.Atoi(answer); err == nil && i >= 1 && i <= len(presets.All()) {
		f.preset = presets.All()[i-1].Name
	}
	return f.check()
}

// putTime reads a time into a flag's place, and takes it out again if it is
// wrong.
func (f *initFlags) putTime(at *time.Duration) func(string) error {
	return func(answer string) (err error) {
		*at = 0
		if answer = known(answer); answer == "" {
			return nil
		}
		if *at, err = time.ParseDuration(answer); err != nil {
			return errors.New("give a time such as 75ms")
		}
		if err = f.check(); err != nil {
			*at = 0
		}
		return err
	}
}

// put asks until the answer will do, three times at most.
func put(in *bufio.Reader, out io.Writer, q question) (err error) {
	for range 3 {
		fmt.Fprintf(out, "%s [%s]: ", q.text, q.usual)
		line, readErr := in.ReadString('\n')
		answer := strings.TrimSpace(line)
		if readErr != nil && answer == "" {
			return errors.New("the answers ended; give --preset and the other flags instead")
		}
		if answer == "" {
			answer = q.usual
		}
		if err = q.put(answer); err == nil {
			return nil
		}
		fmt.Fprintf(out, "  %v\n", err)
	}
	return err
}
