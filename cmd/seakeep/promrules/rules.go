package promrules

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// Rules are the groups of a file of rules, parsed.
type Rules struct{ groups []group }

type group struct {
	name     string
	interval time.Duration // zero: that of whoever plays them
	rules    []rule
}

type rule struct {
	record, alert string
	expr          string
	labels        []labels.Label
	hold, keep    time.Duration // "for" and "keep_firing_for"
}

// language is Prometheus' own, without what is experimental.
var language = parser.NewParser(parser.Options{})

// Parse reads a file of rules as Prometheus does: unknown keys, expressions that
// do not parse, templates that do not and names that nothing may have are
// errors, which it joins.
func Parse(text []byte) (*Rules, error) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	file, errs := rulefmt.Parse(text, false, model.LegacyValidation, language, quiet)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	r := &Rules{}
	for _, g := range file.Groups {
		one := group{name: g.Name, interval: time.Duration(g.Interval)}
		for _, x := range g.Rules {
			parsed := rule{record: x.Record, alert: x.Alert, expr: x.Expr,
				hold: time.Duration(x.For), keep: time.Duration(x.KeepFiringFor)}
			for name, v := range x.Labels {
				parsed.labels = append(parsed.labels, labels.Label{Name: name, Value: v})
			}
			slices.SortFunc(parsed.labels, func(a, b labels.Label) int {
				if a.Name < b.Name {
					return -1
				}
				return 1
			})
			one.rules = append(one.rules, parsed)
		}
		r.groups = append(r.groups, one)
	}
	return r, nil
}

// Alerts returns the names of the alerts, in order.
func (r *Rules) Alerts() (names []string) {
	for _, g := range r.groups {
		for _, x := range g.rules {
			if x.alert != "" {
				names = append(names, x.alert)
			}
		}
	}
	return names
}

// Expressions returns the expression of every rule, in order.
func (r *Rules) Expressions() (all []string) {
	for _, g := range r.groups {
		for _, x := range g.rules {
			all = append(all, x.expr)
		}
	}
	return all
}

// Records returns the names of the series that the rules make, in order.
func (r *Rules) Records() (names []string) {
	for _, g := range r.groups {
		for _, x := range g.rules {
			if x.record != "" {
				names = append(names, x.record)
			}
		}
	}
	return names
}

// Format returns an expression as Prometheus writes it, or why it is none.
func Format(expr string) (string, error) {
	e, err := language.ParseExpr(expr)
	if err != nil {
		return "", fmt.Errorf("%s: %w", expr, err)
	}
	return e.Pretty(0), nil
}

// Names returns the names of the series that an expression reads.
func Names(expr string) (names []string, err error) {
	e, err := language.ParseExpr(expr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expr, err)
	}
	for _, match := range parser.ExtractSelectors(e) {
		for _, m := range match {
			if m.Name == model.MetricNameLabel && !slices.Contains(names, m.Value) {
				names = append(names, m.Value)
			}
		}
	}
	return names, nil
}
