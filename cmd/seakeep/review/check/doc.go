// Package check finds settings that are allowed but that an incident will
// punish: a limit that healthy calls run into, retries that multiply, a
// fallback that falls with what it stands in for.
//
// A Rule looks at one thing. What it finds says where, why, with a number beside
// the one it should be, how to mend it, as changes that config.Set carries out,
// and what has to happen for it to bite. Files takes one file or the files of a
// whole call graph: services are linked by what their dependencies are called
// and by their addresses.
//
// # Algorithm
//
// Nothing is run. Rates and latencies come from the measured sections; what
// follows from them is Little's law (calls under way = rate x time), the
// binomial distribution (how often a window opens a breaker by chance), and a
// tail that is exponential between the measured quantiles. A rule whose
// numbers the file does not have says nothing; measured-missing says that.
//
// A comment "# seakeep:ignore RULE: reason" on the line of a finding, or in the
// comment above it, takes the finding away. Without a reason, or without a
// finding, it is a finding itself.
package check
