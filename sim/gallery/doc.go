// Package gallery holds published figures about overload, retries and breakers
// beside what Seakeep's own policies and event engine give, each with an
// interval and a verdict. It is how a reader can tell whether the simulator is
// to be believed: by seeing it arrive at numbers that others found.
//
// # Cards
//
// A card is one row of the literature, or of a table in it. Nothing of ours in
// it is written down: every figure is computed when the card runs, by the
// policies of package core where one exists, or by a small model on sim.Engine.
// Only the published value and its tolerance are constants. IDs that begin with
// a letter are of four teaching texts, the briefs; docs/gallery.md lists them all.
//
// The verdict is "match" if every figure of the card is within its tolerance,
// "differs, because ..." if one is not, and "missing" if the policy that the
// card is about does not exist yet.
//
// # Tolerances
//
// Unit figures are exact. Analytic figures agree to a billionth, or round to
// the published digits. Simulated figures are means over replications: a rate
// may be off by three standard errors or one per cent, a share by 1.5 points, a
// p99 by 2 ms. A published figure was rounded, so half of its last digit is
// always allowed.
package gallery
