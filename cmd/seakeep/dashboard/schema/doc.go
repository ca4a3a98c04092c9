// Package schema is what the dashboard's sources tell, as JSON: a running proxy
// or program, the simulator, and the audit log. docs/dashboard-api.md has it in
// words.
//
// # Why
//
// A page that draws what happens should not care whether it happens now, has
// happened yesterday or happens in a simulation. So there is one form for a
// decision and one for the state of everything, and each source fills it.
//
// # How
//
// Event is core.Event: the same names, with kinds, reasons, outcomes and causes
// as the words that the trace of the simulator and the log have. Snapshot is the
// state of everything at one moment. Keys are in snake case, durations numbers of
// milliseconds, and moments milliseconds of Unix time, or of virtual time since
// the start in the simulator. What does not apply, is off, or is not known for
// want of data is left out, and never 0.
//
// The package does no I/O and reads no clock, so that it builds for WebAssembly.
package schema

// Version is that of the schema. It rises when something changes its meaning or
// goes away; what is added does not raise it.
const Version = 1
