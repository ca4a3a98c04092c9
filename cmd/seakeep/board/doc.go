// Package board makes a Grafana dashboard of a policy file: what users get, what
// each dependency does to the service, and what is left of the error budgets. It
// writes the few fields of Grafana's JSON that are needed, and every query in it
// is tested with Prometheus' own parser against the names of our metrics.
package board
