package tune

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	mostLine  = 1 << 20  // bytes
	mostInput = 1 << 30  // bytes of a log
	mostBody  = 64 << 20 // bytes of an answer, or of a file that is read whole
)

// at names a line of the input in an error.
func at(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{line}, args...)...)
}

// lines calls each with every line that is not empty.
func lines(r io.Reader, each func(n int, line string) error) error {
	counted := &io.LimitedReader{R: r, N: mostInput + 1}
	s := bufio.NewScanner(counted)
	s.Buffer(nil, mostLine)
	n := 0
	for s.Scan() {
		n++
		line := strings.TrimRight(s.Text(), "\r")
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := each(n, line); err != nil {
			return err
		}
	}
	switch err := s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return at(n+1, "is longer than 1 MiB")
	case err != nil:
		return err
	case counted.N <= 0:
		return errors.New("is longer than 1 GiB; give a part of it")
	}
	return nil
}

// whole reads an input that is no longer than a bound.
func whole(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostBody+1))
	if err == nil && len(data) > mostBody {
		err = errors.New("is longer than 64 MiB")
	}
	return data, err
}

// log gathers the calls of a log by dependency, in the order in which those came
// up.
type log struct {
	names []string
	calls map[string][]logged
	n     int
}

func (l *log) add(dependency string, c logged) error {
	if l.n++; l.n > mostCalls {
		return fmt.Errorf("has more than %d calls; give a part of them", mostCalls)
	}
	if c.outcome == left {
		return nil
	}
	if l.calls == nil {
		l.calls = map[string][]logged{}
	}
	if _, ok := l.calls[dependency]; !ok {
		if len(l.names) == mostNames {
			return fmt.Errorf("names more than %d dependencies", mostNames)
		}
		l.names = append(l.names, dependency)
	}
	l.calls[dependency] = append(l.calls[dependency], c)
	return nil
}

const mostNames = 1000

func (l *log) samples() ([]Sample, error) {
	if len(l.names) == 0 {
		return nil, errors.New("has no calls in it that tell anything")
	}
	var all []Sample
	for _, name := range l.names {
		all = append(all, sampleOf(name, l.calls[name]))
	}
	return all, nil
}

// latencyOf checks that a number of seconds may be a latency.
func latencyOf(seconds float64) (float64, error) {
	if math.IsNaN(seconds) || seconds < 0 || seconds > 8760*3600 {
		return 0, fmt.Errorf("%g s is no latency", seconds)
	}
	return max(seconds, noLatency), nil
}

// number reads a number that may have a unit of time; without one it is in
// units of so many seconds, or, if that is 0, nobody knows.
func number(text string, unit float64) (seconds float64, err error) {
	text = strings.TrimSpace(text)
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		if unit == 0 {
			return 0, fmt.Errorf("%s has no unit; call the column latency_s, latency_ms, latency_us or latency_ns, "+
				"or write one behind each number (12ms)", short(text))
		}
		return v * unit, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is neither a number nor a time such as 12ms", short(text))
	}
	return d.Seconds(), nil
}

// short cuts what is shown of foreign text.
func short(text string) string {
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "..."
	}
	return text
}

// units are names that end columns, and flags, with how many seconds they are.
var units = map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
