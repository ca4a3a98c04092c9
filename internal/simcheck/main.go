// Command simcheck runs scenarios in the simulator and prints all that came of
// them: the figures, the raw results, and a hash over every decision. Its test
// builds it for this machine and for WebAssembly and compares what they print,
// byte by byte.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/study"
)

func main() {
	length := flag.Duration("for", 0, "how long a run is at most; 0: as the file says")
	runs := flag.Int("runs", 2, "how many runs")
	flag.Parse()
	for _, path := range flag.Args() {
		if err := check(os.Stdout, path, *length, *runs); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// check runs one scenario and prints what came of it.
func check(w io.Writer, path string, length time.Duration, runs int) error {
	s, err := config.LoadScenario(path)
	if err != nil {
		return err
	}
	if length > 0 && length < s.For {
		// Changes after the end never happen.
		s.For, s.Warmup = length, min(s.Warmup, length/5)
	}
	var results []*sim.Result
	var traces []string
	for seed := range runs {
		t := newTrace()
		r, err := sim.Run(s, sim.Options{Seed: uint64(seed), Trace: t.observe})
		if err != nil {
			return err
		}
		results = append(results, r)
		traces = append(traces, fmt.Sprintf("%d decisions, %x", t.n, t.hash.Sum(nil)))
	}
	return print(w, s, results, traces)
}

// print writes a report: figures as people read them and in full, and results
// with every bit of every number.
func print(w io.Writer, s *config.Scenario, results []*sim.Result, traces []string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s for %v\n", s.Name, s.For)
	sum := study.Summarise(results)
	for _, key := range sum.Keys() {
		f, err := sum.Get(key)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s %x %x %x\n", key, f.Text(), f.Mean, f.Low, f.High)
	}
	for i, r := range results {
		raw, err := json.Marshal(r)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s\n%s\n", traces[i], raw)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// trace is a hash over decisions in their order.
type trace struct {
	hash hash.Hash
	n    int
	line []byte
}

func newTrace() *trace { return &trace{hash: sha256.New()} }

func (t *trace) observe(e core.Event) {
	t.n++
	b := t.line[:0]
	for _, n := range []uint64{uint64(e.At), uint64(e.Kind), uint64(e.Reason), uint64(e.Outcome),
		uint64(e.Cause), uint64(e.Attempt), uint64(e.Took), e.Seq} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	for _, text := range []string{e.Policy, e.Key, e.From, e.To, e.Detail} {
		b = append(append(b, text...), 0)
	}
	t.hash.Write(b)
	t.line = b
}
