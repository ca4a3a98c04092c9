package tune

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// mostIntervals is how many lines of a histogram log are taken.
const mostIntervals = 100_000

// hlogPart is what a tag of a log has.
type hlogPart struct {
	intervals []interval
	first     float64
	last      float64
}

type interval struct {
	start float64
	bins  []bin
}

// ReadHlog reads a log of HdrHistogram, whose values are in units of so many
// seconds. Tags are dependencies.
func ReadHlog(r io.Reader, unit float64) ([]Sample, error) {
	parts := map[string]*hlogPart{}
	var names []string
	rows, kept := 0, 0
	err := lines(r, func(n int, line string) error {
		if line[0] == '#' || line[0] == '"' {
			return nil // what the log is, and its columns
		}
		if rows++; rows > mostIntervals {
			return at(n, "is one of more than %d intervals; give a part of them", mostIntervals)
		}
		tag, in, length, err := hlogLine(line, unit)
		if err != nil {
			return at(n, "%w", err)
		}
		if kept += len(in.bins); kept > mostCalls {
			return at(n, "the log has more than %d buckets; give a part of it", mostCalls)
		}
		p := parts[tag]
		if p == nil {
			if len(names) == mostNames {
				return at(n, "is of one of more than %d tags", mostNames)
			}
			p = &hlogPart{first: in.start}
			parts[tag], names = p, append(names, tag)
		}
		p.intervals = append(p.intervals, in)
		p.first, p.last = min(p.first, in.start), max(p.last, in.start+length)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []Sample
	for _, name := range names {
		all = append(all, parts[name].sample(name))
	}
	if len(all) == 0 {
		return nil, errors.New("has no intervals in it")
	}
	return all, nil
}

// hlogLine reads one interval: Tag=A,start,length,max,histogram.
func hlogLine(line string, unit float64) (tag string, in interval, length float64, err error) {
	if rest, ok := strings.CutPrefix(line, "Tag="); ok {
		tag, line, _ = strings.Cut(rest, ",")
	}
	f := strings.Split(line, ",")
	if len(f) != 4 {
		return "", in, 0, fmt.Errorf("is no interval of HdrHistogram: %q", short(line))
	}
	if in.start, err = moment(f[0], 1); err != nil {
		return "", in, 0, err
	}
	if length, err = moment(f[1], 1); err != nil || length < 0 {
		return "", in, 0, fmt.Errorf("%q is no length of an interval", short(f[1]))
	}
	h, err := hdrhistogram.Decode([]byte(strings.TrimSpace(f[3])))
	if err != nil {
		return "", in, 0, fmt.Errorf("holds no histogram: %w", err)
	}
	for _, b := range h.Distribution() {
		if b.Count == 0 {
			continue
		}
		if b.Count > math.MaxInt32 {
			return "", in, 0, errors.New("counts more than 2147483647 in a bucket")
		}
		high, err := latencyOf(float64(b.To) * unit)
		if err != nil {
			return "", in, 0, fmt.Errorf("%w; is --unit right?", err)
		}
		in.bins = append(in.bins, bin{min(float64(b.From)*unit, high), high, int(b.Count)})
	}
	return tag, in, length, nil
}

func (p *hlogPart) sample(name string) Sample {
	s := Sample{Dependency: name, Seconds: p.last - p.first}
	var all []bin
	var halves [2][]bin
	middle := p.first + s.Seconds/2
	for _, in := range p.intervals {
		i := 0
		if in.start >= middle {
			i = 1
		}
		all = append(all, in.bins...)
		halves[i] = append(halves[i], in.bins...)
	}
	s.All = newDist(all)
	s.Calls = s.All.N()
	if s.Seconds > 0 {
		s.Rate = float64(s.Calls) / s.Seconds
	}
	if len(p.intervals) > 1 {
		s.Halves = [2]*Dist{newDist(halves[0]), newDist(halves[1])}
	}
	s.Notes = append(s.Notes, "a log of HdrHistogram does not say which calls failed")
	return s
}
