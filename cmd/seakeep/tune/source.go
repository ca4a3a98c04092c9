package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Source is where samples come from, as the command line has it.
type Source struct {
	Kind  string        // one of Kinds
	Where string        // a URL, a file, or "-" for standard input
	Unit  float64       // of hlog: how many seconds a value is; 0: nanoseconds
	Over  time.Duration // of prometheus: how far back; 0: an hour
	Match string        // of prometheus: further matchers
	Stdin io.Reader
}

// Kinds are the kinds of sources, with what each is.
var Kinds = [][2]string{
	{"prometheus", "a Prometheus server, such as prometheus:http://127.0.0.1:9090"},
	{"admin", "the admin address of a running Seakeep, such as admin:http://127.0.0.1:9901"},
	{"csv", "a log with the columns time, latency, outcome and dependency; also of seakeep load --log"},
	{"hlog", "a log of HdrHistogram"},
	{"k6", "results of k6: --out json, or a summary"},
	{"vegeta", "results of vegeta: vegeta encode --to json, or csv"},
	{"load", "the report of seakeep load --json"},
}

// ParseSource reads KIND:WHERE. A file whose name ends in .csv or .hlog needs no
// kind.
func ParseSource(text string) (Source, error) {
	kind, where, ok := strings.Cut(text, ":")
	if ext := strings.TrimPrefix(filepath.Ext(text), "."); !ok && (ext == "csv" || ext == "hlog") {
		return Source{Kind: ext, Where: text}, nil
	}
	var known []string
	for _, k := range Kinds {
		known = append(known, k[0])
		if k[0] != kind || !ok || where == "" {
			continue
		}
		s := Source{Kind: kind, Where: where}
		if kind == "prometheus" || kind == "admin" {
			u, err := url.Parse(where)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				return s, fmt.Errorf("%q is no address; give one such as %s:http://127.0.0.1:9090", short(where), kind)
			}
		}
		return s, nil
	}
	return Source{}, fmt.Errorf("%q is no source; give a kind and where it is, such as csv:calls.csv; kinds are %s",
		short(text), strings.Join(known, ", "))
}

// patience is how long an answer may take.
const patience = 30 * time.Second

// Read returns what the source has.
func (s *Source) Read(ctx context.Context) (all []Sample, err error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	client := &http.Client{Timeout: patience, Transport: transport}
	switch s.Kind {
	case "prometheus":
		over := s.Over
		if over == 0 {
			over = time.Hour
		}
		return (&Prometheus{Base: s.Where, Over: over, Match: s.Match, Client: client}).Read(ctx)
	case "admin":
		return (&Admin{Base: s.Where, Client: client}).Read(ctx)
	}
	in := s.Stdin
	if s.Where != "-" {
		f, err := os.Open(s.Where)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	if in == nil {
		return nil, errors.New("there is no standard input")
	}
	switch s.Kind {
	case "csv":
		all, err = ReadCSV(in)
	case "hlog":
		unit := s.Unit
		if unit == 0 {
			unit = 1e-9
		}
		all, err = ReadHlog(in, unit)
	case "k6":
		all, err = ReadK6(in)
	case "vegeta":
		all, err = ReadVegeta(in)
	case "load":
		all, err = ReadLoad(in)
	default:
		return nil, fmt.Errorf("%q is no kind of source", s.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Where, err)
	}
	return all, nil
}
