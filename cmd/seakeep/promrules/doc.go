// Package promrules reads Prometheus rules and plays them over series that are
// in memory, with Prometheus' own parser and engine. It is the only package that
// knows Prometheus' Go packages, which change often.
//
// What it does itself is what Prometheus keeps in package rules, whose imports
// would triple the program: the states of alerts (pending for as long as "for"
// says, firing, kept firing), and the series that recording rules make, with
// marks where one ends. internal/promcheck holds both against package rules
// and Prometheus' own storage.
package promrules
