package tune

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// csvColumns are the names of columns, with others that are taken too.
var csvColumns = map[string][]string{
	"time":       {"timestamp", "start", "at"},
	"latency":    {"duration", "elapsed", "took"},
	"outcome":    {"status", "result", "code"},
	"dependency": {"upstream", "target"},
}

// ReadCSV reads a log with a header: time, latency, outcome and dependency, of
// which only latency must be there.
func ReadCSV(r io.Reader) ([]Sample, error) {
	var l log
	var head *header
	err := lines(r, func(n int, line string) (err error) {
		fields, err := csvFields(line)
		if err != nil {
			return at(n, "%w", err)
		}
		if head == nil {
			if head, err = readHeader(fields); err != nil {
				return at(n, "%w", err)
			}
			return nil
		}
		dependency, c, err := head.call(fields)
		if err == nil {
			err = l.add(dependency, c)
		}
		if err != nil {
			return at(n, "%w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l.samples()
}

// csvFields cuts one line, which holds a whole record.
func csvFields(line string) ([]string, error) {
	if !strings.Contains(line, `"`) {
		return strings.Split(line, ","), nil
	}
	r := csv.NewReader(strings.NewReader(line))
	fields, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("is not CSV in one line: %q", short(line))
	}
	return fields, nil
}

// header says which column is what.
type header struct {
	at    map[string]int
	units map[string]float64 // of columns that name it
	width int
}

func readHeader(fields []string) (*header, error) {
	h := &header{at: map[string]int{}, units: map[string]float64{}, width: len(fields)}
	for i, f := range fields {
		name := strings.ToLower(strings.TrimSpace(f))
		unit := 0.0
		if k := strings.LastIndexByte(name, '_'); k > 0 && units[name[k+1:]] != 0 {
			name, unit = name[:k], units[name[k+1:]]
		}
		for column, others := range csvColumns {
			match := name == column
			for _, o := range others {
				match = match || name == o
			}
			if match {
				if _, twice := h.at[column]; twice {
					return nil, fmt.Errorf("two columns are the %s", column)
				}
				h.at[column] = i
				if unit != 0 {
					h.units[column] = unit
				}
			}
		}
	}
	if _, ok := h.at["latency"]; !ok {
		return nil, fmt.Errorf("no column is called latency; the first line names the columns, such as " +
			"time,latency,outcome (latency_ms if it is in milliseconds)")
	}
	return h, nil
}

func (h *header) call(fields []string) (dependency string, c logged, err error) {
	if len(fields) != h.width {
		return "", c, fmt.Errorf("has %d fields, and the header %d", len(fields), h.width)
	}
	c.at = math.NaN()
	if i, ok := h.at["time"]; ok {
		unit, ok := h.units["time"]
		if !ok {
			unit = 1
		}
		if c.at, err = moment(fields[i], unit); err != nil {
			return "", c, err
		}
	}
	seconds, err := number(fields[h.at["latency"]], h.units["latency"])
	if err == nil {
		c.latency, err = latencyOf(seconds)
	}
	if err != nil {
		return "", c, err
	}
	if i, ok := h.at["outcome"]; ok {
		if c.outcome, err = outcomeOf(fields[i]); err != nil {
			return "", c, err
		}
	}
	if i, ok := h.at["dependency"]; ok {
		dependency = strings.TrimSpace(fields[i])
	}
	return dependency, c, nil
}

// tooLate is where a number of seconds since 1970 is no date of this age, and one
// of milliseconds is.
const tooLate = 1e11

// moment reads a time of day, or a number of seconds since whenever.
func moment(text string, unit float64) (float64, error) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return float64(t.Unix()) + float64(t.Nanosecond())/1e9, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is no moment; use seconds, or 2026-01-31T12:00:00Z", short(text))
	}
	if math.Abs(v*unit) > tooLate {
		return 0, fmt.Errorf("%s is no moment in seconds; name its unit in the column's name, such as time_ms",
			short(text))
	}
	return v * unit, nil
}

// words are outcomes. Those of a call that the caller left tell nothing.
var words = map[outcome][]string{
	fine:   {"", "ok", "success", "true", "ignored"},
	cutOff: {"timeout", "timed-out", "timedout", "deadline-exceeded", "deadlineexceeded"},
	left:   {"cancelled", "canceled"},
	failed: {"error", "failure", "failed", "fail", "false", "overloaded", "rejected", "unavailable",
		"refused", "reset", "dns", "no-more-sockets-here", "other"}, // the last five of seakeep load
}

// outcomeOf reads a word or a status.
func outcomeOf(text string) (outcome, error) {
	word := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "_", "-")
	if code, err := strconv.Atoi(word); err == nil {
		if code != 0 && (code < 100 || code > 599) {
			return 0, fmt.Errorf("%d is no status of HTTP; use 100 to 599, or 0 for no answer", code)
		}
		return ofStatus(code), nil
	}
	for _, o := range []outcome{fine, cutOff, left, failed} {
		if slices.Contains(words[o], word) {
			return o, nil
		}
	}
	return 0, fmt.Errorf("%q is no outcome that is known; use ok, error, timeout or cancelled, or a status such as 200",
		short(text))
}

// ofStatus is what a status of HTTP means; 0 is no answer. An answer of 4xx is an
// answer: the mistake is the caller's own.
func ofStatus(code int) outcome {
	switch {
	case code >= 100 && code < 500 && code != 408 && code != 429:
		return fine
	default:
		return failed
	}
}
