package telemetry

import "slices"

// Kind is the type of a metric.
type Kind uint8

const (
	// Counter only rises, from zero at the start of the program.
	Counter Kind = iota + 1
	// Gauge is a value at the moment of collection.
	Gauge
	// Histogram counts durations by size; see Bounds.
	Histogram
)

// String returns the type's name as Prometheus has it.
func (k Kind) String() string {
	return wordAt([]string{"none", "counter", "gauge", "histogram"}, int(k))
}

// Definition is what a metric is. Name is its name for Prometheus; OTel is that
// for OpenTelemetry, from which an exporter makes the same Prometheus name.
type Definition struct {
	Name   string
	OTel   string
	Kind   Kind
	Unit   string   // in UCUM's words: "s", "1" for a share, "By", "{call}" for a count of calls
	Labels []string // in the order of Sample.Labels
	Part   string   // what it is about: the headings of docs/monitoring.md
	Help   string
}

// Definitions returns every metric there is, in the order of the table in
// docs/monitoring.md. Both Prometheus and OpenTelemetry offer these and no
// others, but for those that describe the process itself.
func Definitions() []Definition { return slices.Clone(definitions[:]) }

// The labels. dependency and operation are names of the policy file; operation
// is empty for what belongs to the dependency as a whole.
const (
	labelDependency  = "dependency"
	labelOperation   = "operation"
	labelOutcome     = "outcome"
	labelReason      = "reason"
	labelKind        = "kind"
	labelState       = "state"
	labelFrom        = "from"
	labelTo          = "to"
	labelCriticality = "criticality"
)

func of(labels ...string) []string {
	return append([]string{labelDependency, labelOperation}, labels...)
}

// Bounds are the upper ends of the buckets of every histogram, in seconds. They
// are those of OpenTelemetry's semantic conventions for HTTP.
func Bounds() []float64 { return slices.Clone(bounds[:]) }

var bounds = [...]float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}

// id is the index of a metric in definitions.
type id uint8
