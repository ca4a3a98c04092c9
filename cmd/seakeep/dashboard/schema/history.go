package schema

// History is what was, in columns: the value at i of each list belongs to the
// time at i. null is a time without data.
type History struct {
	Version  int       `json:"version"`
	StepMS   float64   `json:"step_ms"`
	OldestMS float64   `json:"oldest_ms"` // how far back there is anything
	Times    []float64 `json:"times"`     // the end of each step

	Dependencies []Series `json:"dependencies"`
	Serve        *Series  `json:"serve,omitempty"`
	// Events are those of the time that changed a state, the oldest first.
	Events []Event `json:"events"`
}

// Series is the history of one dependency, or of the door. The names of its
// columns are those of docs/dashboard-api.md.
type Series struct {
	Name    string                `json:"name"`
	Columns map[string][]*float64 `json:"columns"`
	Heat    *Heat                 `json:"heat,omitempty"`
}

// Heat is a distribution of latency for each step: Counts at i has a count for
// each of the buckets, whose upper ends are in BoundsMS; the last has none.
type Heat struct {
	BoundsMS []float64  `json:"bounds_ms"`
	Counts   [][]uint64 `json:"counts"`
}

// Policy is the policy file that is in use.
type Policy struct {
	Version  int       `json:"version"`
	File     string    `json:"file"`
	LoadedMS float64   `json:"loaded_ms"`
	Values   []Value   `json:"values"`
	Findings []Finding `json:"findings"`
	Warnings []string  `json:"warnings"`
	// Changes are what the last reload changed; empty before the first.
	Changes []ValueChange `json:"changes"`
	// Refused is why a newer text of the file is not in use.
	Refused string `json:"refused,omitempty"`
}

// Value is a value in effect, and where it comes from: a file and a line, or the
// default.
type Value struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// ValueChange is a value that a reload changed. Before is empty for a key that
// came, and After for one that went.
type ValueChange struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	From   string `json:"from,omitempty"` // where it comes from now
}

// Finding is what check found.
type Finding struct {
	Rule       string `json:"rule"`
	Severity   string `json:"severity"`
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Path       string `json:"path"`
	Dependency string `json:"dependency,omitempty"`
	Why        string `json:"why"`
	Number     string `json:"number"`
	Fix        string `json:"fix"`
	Bites      string `json:"bites"`
}
