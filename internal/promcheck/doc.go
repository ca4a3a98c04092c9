// Package promcheck holds cmd/seakeep/promrules, which plays rules with
// Prometheus' engine and states of alerts of its own, against Prometheus' own
// package rules over its own storage. It is a module of its own, of tests only,
// so that nobody builds what that imports.
package promcheck
