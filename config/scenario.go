package config

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

// Scenario is a world around one or more policies: who calls, what serves, and
// what happens when. Every default is filled in.
type Scenario struct {
	Version  int
	Name     string
	About    string // what it shows, in a sentence or two
	Seed     uint64
	For      time.Duration // how long a run is, warm-up included
	Warmup   time.Duration // left out of the statistics
	Runs     int           // replications
	Clients  []*Client
	Services []*Service
	Changes  []Change // in the order of the file
	Expect   []Expectation

	values   []Effective
	warnings []Warning
}

// Client is a population of users, or another system, that calls a service.
type Client struct {
	Name string
	To   string // the service
	// Open loop: Rate calls a second in all, whatever became of those before.
	// Closed loop: Users, each of whom thinks and then calls again.
	Rate     float64
	Arrivals Arrivals
	Users    int
	Think    Latency
	Times    []time.Duration // instead of both: exactly then
	Patience time.Duration   // 0: waits for ever
	Routes   []Share         // of the calls; empty: the service's first route
	Member   Member          // how the client protects its own calls; zero: not at all
	Members  int             // how many clients there are, each with its own state of that

	Criticality core.Criticality // of its calls, and of those that are made for them
	Tenant      string           // whose they are; empty: nobody's
}

// Arrivals says how open-loop calls are spaced.
type Arrivals uint8

const (
	// Poisson: exponential gaps.
	Poisson Arrivals = iota
	// Even: equal gaps.
	Even
)

// Member names a policy: a dependency of a file.
type Member struct {
	File       *File  // nil: none
	Dependency string // or dependency/operation
}

// Share is a named part of a whole; together they come to 1.
type Share struct {
	Name  string
	Share float64
}

// Service is one node of the call graph, in one or more instances.
type Service struct {
	Name      string
	Policy    *File // protects the calls it makes; nil: it makes none
	Instances int
	Workers   int // of each instance; 0: as many as it takes
	Queue     Queue
	Routes    []*Route
	Capacity  Capacity
	Abandoned Abandoned
	// ReleaseWhileWaiting gives the worker back while a retry waits.
	ReleaseWhileWaiting bool
	// IgnoreDeadline: the service does not read its callers' deadlines.
	IgnoreDeadline bool
	// Unmarked: its failures do not say that it has retried already.
	Unmarked bool
	Cache    *CacheModel
	Health   *HealthModel
	Network  Network // on the way to it
}

// Rule says who is next, and who gets no place.
type Rule uint8

const (
	// Refuse: nobody waits.
	Refuse Rule = iota
	// FIFO: who came first.
	FIFO
	// LIFO: who came last, because somebody still waits for that answer.
	LIFO
	// CoDel: FIFO that drops while the wait stays above a target.
	CoDel
)

// Queue is where requests wait for a worker.
type Queue struct {
	Rule        Rule
	Length      int  // 0: without a bound
	DropExpired bool // who is no longer waited for is not served
	Target      time.Duration
	Interval    time.Duration
}

// Route is one thing that a service can be asked.
type Route struct {
	Name   string
	Work   Latency // of its own, before its calls
	Fails  float64 // share of requests that fail, after their work
	Status int     // with which status: 500 if it does not matter
	Calls  []Step  // one after another; Parallel ones of a row at once
	// Features are added to the work while the service's door allows them.
	Features []Feature
}

// Feature is what a request can do without, and the work that it is.
type Feature struct {
	Name string
	Work Latency
}

// Step is a call that a route makes.
type Step struct {
	Dependency string // of the service's policy; or dependency/operation
	To         string // the service that answers; the dependency's name if empty
	Route      string // of that service; its first if empty
	Parallel   bool   // together with the step before
}

// Over says what happens to calls above a capacity.
type Over uint8

const (
	// Hang: they are never answered.
	Hang Over = iota
	// Turn: they are refused at once, with 503.
	Turn
)

// Capacity is a gate on calls a second. A zero Rate is no gate.
type Capacity struct {
	Rate float64
	Over Over
}

// Abandoned says what becomes of work that nobody waits for any more.
type Abandoned uint8

const (
	// RunsOn: the service does not learn that its caller left.
	RunsOn Abandoned = iota
	// Stops: it learns, and stops.
	Stops
)

// CacheModel makes a service a read-through cache: a hit is answered at once,
// a miss goes on to the route's calls.
type CacheModel struct {
	Hits float64 // share once warm
	Fill int     // misses after which a cold cache has reached 63 % of Hits
}

// HealthModel restarts instances that look unhealthy.
type HealthModel struct {
	Interval time.Duration
	Timeout  time.Duration
	Failures int           // in a row
	Restart  time.Duration // how long the instance is away
	Deep     bool          // the check asks the dependencies too
}

// Network is the way to a service.
type Network struct {
	Delay Latency // one way
	Loss  float64 // share of requests and answers that vanish
}

// Shape is the kind of a distribution.
type Shape uint8

const (
	// Constant is Floor, always.
	Constant Shape = iota
	// Exponential is Floor plus an exponential with mean Mean-Floor.
	Exponential
	// LogNormal has the median Median and the shape Sigma.
	LogNormal
	// Uniform is even between Floor and Mean*2-Floor.
	Uniform
	// Empirical draws from Points, linearly between them, from zero below the
	// first; above the last it is the last.
	Empirical
	// Mixture draws one of Parts by its share.
	Mixture
)

// Latency is a distribution of times.
type Latency struct {
	Shape       Shape
	Floor, Mean time.Duration
	Median      time.Duration
	Sigma       float64
	Points      []Point
	Parts       []Part
	Stall       time.Duration // now and then it takes this much longer
	StallShare  float64
	StallsExpo  bool // the stall is exponential with mean Stall
}

// Point is a quantile of an empirical distribution.
type Point struct {
	Quantile float64
	Value    time.Duration
}

// Part is a component of a mixture.
type Part struct {
	Share   float64
	Latency Latency
}

// ChangeKind says what a Change does.
type ChangeKind uint8

const (
	// SetRate changes a client's rate to Rate.
	SetRate ChangeKind = iota
	// SetWork changes the work of a service's routes to Work.
	SetWork
	// SetFails changes the share of requests that fail to Share.
	SetFails
	// GoDown refuses every connection, and drops what is under way.
	GoDown
	// GoSilent accepts and never answers.
	GoSilent
	// Restart goes down and comes back with a cold cache.
	Restart
	// CutNetwork loses, or with Buffered holds back, what is on the way.
	CutNetwork
	// SetPolicy puts another policy file to use.
	SetPolicy
	// SetCapacity changes the gate.
	SetCapacity
	// SetAdmission is an operator's order to a service's door: it lets Share of
	// the demand in, and everything again over Ramp.
	SetAdmission
)

// Change is something that happens during a run. With Length it is undone.
type Change struct {
	At, Length time.Duration // Length 0: for the rest of the run
	Kind       ChangeKind
	Of         string // the client or service
	Instances  []int  // which, counted from 0; empty: all
	Route      string // which; empty: all
	Rate       float64
	Work       Latency
	Share      float64
	Capacity   Capacity
	Ramp       time.Duration
	Buffered   bool
	Policy     *File
}

// Expectation is a statement about the outcome, such as
// "endpoints.pricing.success > 99%".
type Expectation struct {
	Text  string
	Key   string
	Op    string  // one of < <= > >= =
	Value float64 // a share as a fraction, a time in seconds, a rate per second
}
