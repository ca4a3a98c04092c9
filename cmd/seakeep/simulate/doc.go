// Package simulate runs a scenario for the command "seakeep sim" and writes
// down what came out: a report for a terminal, JSON, CSV, a page with pictures,
// and the trace of one run.
//
// What is written depends on the scenario and the seed only: not on the number
// of processors, the time, or the order in which runs end.
package simulate
