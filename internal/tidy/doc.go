// Package tidy is the architecture as a test. It holds no code of the product:
// its tests read the sources and the documents and fail, saying how to mend
// it, where one breaks a rule of the house.
//
// # Rules
//
//   - floors: a package imports only lower floors (floors_test.go has the table).
//   - purity: core and sim read no clock, start no goroutine, do no I/O, draw no
//     global randomness and never range over a map.
//   - sizes: files, functions, lines, parameters, exported names.
//   - modules: who may need a third-party module.
//   - names: no package that is named after nothing.
//   - docs: links lead somewhere; a policy has its files and its page.
//
// The numbers are a compass and not a fence: exceptions_test.go lists who may
// pass one, and why. An exception that nobody needs any more is an error too.
//
// # Reading
//
// A rule is a function from a repo to findings, so the rule itself is tested
// by feeding it a repo made of a few lines of text. The real repo is read once
// and costs about a second.
package tidy
