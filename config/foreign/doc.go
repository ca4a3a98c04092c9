// Package foreign turns the settings that people already have, of Envoy, of
// gRPC and of Resilience4j, into a policy file, and says of every single one
// what became of it.
//
// # Why
//
// Whoever has settings wants to ask questions about them: what happens if that
// dependency takes two seconds? The simulator answers for a policy file, so
// the settings must become one. A translation that quietly leaves things out
// gives wrong answers with confidence. So the report lists each setting of the
// input exactly once: as mapped, if the policy does the same; as approximated,
// with the difference; or as dropped, with the reason and what to do instead.
// A key that nobody here has heard of is dropped and said so.
//
// The aim is to behave as the source did, its dangers included, and not to
// improve on it: the comments in the policy name what is worth a second look.
//
// # Algorithm
//
// A reader turns YAML, JSON or Java properties into one kind of tree. It bounds
// the size, the depth and what aliases expand to. A translator looks up the
// keys it knows. Each time it writes a value into the policy, or decides not
// to, it marks the settings that the value came from. At the end one walk over
// the tree collects the marks; a leaf without one is what nobody asked for, and
// is dropped with the reason that a table has for its key.
//
// The policy is a tree as well, written with a comment for every value that
// names its origin: the line and key of the input, or the source's own default.
// It is then read by config.Parse, which also finds what looks odd in it.
//
// # Sources
//
// Envoy API v3 (config/cluster/v3, config/route/v3) and its router filter's
// documentation; the gRPC service config and proposal A6; the configuration
// properties of Resilience4j 2 for Spring Boot.
package foreign
