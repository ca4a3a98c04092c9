package schema

// Snapshot is the state of everything at one moment. What is counted, such as
// rates and shares, is over the last WindowMS.
type Snapshot struct {
	Version  int     `json:"version"`
	AtMS     float64 `json:"at_ms"`
	WindowMS float64 `json:"window_ms"`
	Service  string  `json:"service"`
	Ready    bool    `json:"ready"` // it takes new work

	Dependencies []Dependency `json:"dependencies"` // the worst first; see Badness
	Serve        *Serve       `json:"serve,omitempty"`
	SLO          []Objective  `json:"slo"`
	Faults       []Fault      `json:"faults"` // that run

	Policy *PolicyFile `json:"policy,omitempty"` // where the policies came from

	Levers bool `json:"levers"`         // a token is configured, so that orders are taken
	Demo   bool `json:"demo,omitempty"` // the demo's own levers are there
}

// PolicyFile is the file that is in use; /api/v1/policy has what is in it.
type PolicyFile struct {
	File     string  `json:"file"`
	LoadedMS float64 `json:"loaded_ms"`
	// Refused is why a newer text of it is not in use, in its first line.
	Refused string `json:"refused,omitempty"`
}

// Dependency is a tile of the wall: a dependency with all of its operations.
type Dependency struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Badness float64  `json:"badness"`           // what the wall is ordered by; see Badness
	Rate    float64  `json:"rate"`              // calls that ended, a second
	Success *float64 `json:"success,omitempty"` // of those that tell something of it, before fallbacks
	// Answered is the share that got an answer of some kind: success or fallback.
	Answered *float64           `json:"answered,omitempty"`
	Outcomes map[string]float64 `json:"outcomes"`           // calls a second, by how they ended
	Rejected map[string]float64 `json:"rejected,omitempty"` // calls a second, by the rule that refused
	Latency  *Latency           `json:"latency,omitempty"`  // of calls that were not refused

	Breaker     *Breaker    `json:"breaker,omitempty"`
	InFlight    int         `json:"in_flight"`
	Bulkhead    *Slots      `json:"bulkhead,omitempty"`
	Attempts    float64     `json:"attempts_per_call"`
	RetryRatio  float64     `json:"retry_ratio"` // retries for each call
	HedgeRatio  float64     `json:"hedge_ratio"` // copies for each call
	HedgeWins   float64     `json:"hedge_wins"`  // a second
	RetryBudget *Budget     `json:"retry_budget,omitempty"`
	SLOLeft     *float64    `json:"slo_left,omitempty"` // the least that is left of an error budget of its
	Fallback    float64     `json:"fallback_share"`     // of calls that a fallback answered
	NoFallback  float64     `json:"fallback_failed"`    // a second: no fallback answered
	Throttle    *float64    `json:"throttle_refusal,omitempty"`
	Deadline    *Deadline   `json:"deadline,omitempty"`
	Endpoints   *Endpoints  `json:"endpoints,omitempty"`
	Failover    string      `json:"failover,omitempty"` // where calls go: first, second or returning
	Faults      int         `json:"faults,omitempty"`   // that run here
	Operations  []Operation `json:"operations,omitempty"`
}

// Operation is a part of a dependency that has settings of its own.
type Operation struct {
	Name     string   `json:"name"`
	Breaker  *Breaker `json:"breaker,omitempty"`  // its own; absent: it shares its dependency's
	Bulkhead *Slots   `json:"bulkhead,omitempty"` // as of Breaker
}

// Latency is from histograms that were added up, and is known to 1.6 %.
type Latency struct {
	Count  uint64  `json:"count"`
	MeanMS float64 `json:"mean_ms"`
	P50MS  float64 `json:"p50_ms"`
	P99MS  float64 `json:"p99_ms"`
	P999MS float64 `json:"p999_ms"`
	MaxMS  float64 `json:"max_ms"`
}

// Breaker is the breaker of a dependency.
type Breaker struct {
	State   string   `json:"state"` // closed, open or half-open
	Mode    string   `json:"mode"`  // auto, force-open or force-closed
	SinceMS *float64 `json:"since_ms,omitempty"`
	RetryMS *float64 `json:"retry_after_ms,omitempty"`
	// Keys counts the breakers that are kept by key, by their state.
	Keys map[string]int `json:"keys,omitempty"`
	// Calls, Failed and Slow are what is in its window.
	Calls  uint64 `json:"calls"`
	Failed uint64 `json:"failed"`
	Slow   uint64 `json:"slow"`
}

// Slots are those of a bulkhead, or of the door.
type Slots struct {
	InUse      int `json:"in_use"`
	Limit      int `json:"limit"`
	Queued     int `json:"queued"`
	QueueLimit int `json:"queue_limit"`
}

// Budget is that of retries.
type Budget struct {
	Left   int     `json:"left"`   // retries that would be granted now
	Denied float64 `json:"denied"` // a second, for want of budget
}

// Deadline is how much time the caller gave, on arrival, of what came with a
// deadline.
type Deadline struct {
	LeftP1MS  float64 `json:"left_p1_ms"` // 99 of 100 had more
	LeftP50MS float64 `json:"left_p50_ms"`
	Dead      float64 `json:"dead_on_arrival"` // a second: nothing was left
	// Exceeded counts limits that passed, a second, by who was waiting for what:
	// before, attempt, retry, caller; at the door arrival, queue, work.
	Exceeded map[string]float64 `json:"exceeded,omitempty"`
}

// Endpoints are those of a dependency.
type Endpoints struct {
	Total   int  `json:"total"`
	Up      int  `json:"up"`
	Ejected int  `json:"ejected"` // as outliers
	Panic   bool `json:"panic"`   // so few are up that all are used
	// All is only in the page of one dependency.
	All []Endpoint `json:"all,omitempty"`
}

// Endpoint is one server.
type Endpoint struct {
	URL       string   `json:"url"`
	State     string   `json:"state"`
	Zone      string   `json:"zone,omitempty"`
	InFlight  int      `json:"in_flight"`
	Picked    uint64   `json:"picked"`
	LatencyMS *float64 `json:"mean_latency_ms,omitempty"`
	Failing   float64  `json:"failing_share"`
	Why       string   `json:"why,omitempty"` // it is out: the rule
}

// Serve is what happens to requests that come in.
type Serve struct {
	Rate       float64            `json:"rate"` // requests offered a second
	Classes    []Class            `json:"classes"`
	RefusedFor map[string]float64 `json:"refused_for,omitempty"` // a second, by the rule
	Latency    *Latency           `json:"latency,omitempty"`     // of served requests, from their arrival
	Slots      *Slots             `json:"slots,omitempty"`
	Limit      *Limit             `json:"limit,omitempty"`
	Admitted   float64            `json:"admitted_share"` // of the demand that is let in now
	Allowed    float64            `json:"allowed_share"`  // by an order, or on the way back
	Recovery   string             `json:"recovery,omitempty"`
	Degrade    *Degrade           `json:"degrade,omitempty"`
	Tenants    []Tenant           `json:"tenants,omitempty"` // those with the most
	TenantKeys int                `json:"tenant_keys,omitempty"`
	Deadline   *Deadline          `json:"deadline,omitempty"`
}

// Class is a class of importance. Rates are a second.
type Class struct {
	Name     string  `json:"name"`
	Offered  float64 `json:"offered"`
	Admitted float64 `json:"admitted"`
	Shed     float64 `json:"shed"`
	Left     float64 `json:"left"` // while they waited
	InTime   float64 `json:"answered_in_time"`
	Queued   int     `json:"queued"`
}

// Limit is how many may be served at once, and why.
type Limit struct {
	Algorithm  string  `json:"algorithm"`
	Limit      int     `json:"limit"`
	BaselineMS float64 `json:"baseline_ms"`
	LatencyMS  float64 `json:"latency_ms"`
	Why        string  `json:"last_move,omitempty"`
}

// Degrade is what is left out.
type Degrade struct {
	Level    int      `json:"level"`
	Off      []string `json:"off"`
	Pressure float64  `json:"pressure"`
	Forced   bool     `json:"forced"`
}

// Tenant is one of those with the most requests. Its key comes from traffic.
type Tenant struct {
	Key     string `json:"key"`
	Here    int    `json:"here"`
	Entered uint64 `json:"entered"`
}

// Objective is an objective in short; /api/v1/slo has all of it.
type Objective struct {
	Name       string   `json:"name"`
	Dependency string   `json:"dependency,omitempty"`
	Goal       float64  `json:"objective"`
	Good       *float64 `json:"ratio,omitempty"`
	Left       float64  `json:"left"` // of the error budget; negative: overdrawn
	Burn       float64  `json:"burn"` // the fastest of its pairs, in budgets a period
	Firing     int      `json:"firing"`
}

// Fault is one that runs.
type Fault struct {
	Dependency string  `json:"dependency,omitempty"` // empty: behind the door
	Name       string  `json:"name"`
	Kind       string  `json:"kind"`
	Share      float64 `json:"share"`
	LeftMS     float64 `json:"left_ms,omitempty"`
	Order      bool    `json:"order"` // an operator's; otherwise the file's
	Hurt       uint64  `json:"hurt"`
}
