// Package curves is what became of the requests to a program, second by second:
// as a run of the demo measured it, or as the simulator predicts it. Both fill
// the same columns by the same rules, so that one can be drawn over the other.
//
// A request belongs to the step in which its user meant to make it. A step whose
// requests have not all ended says nothing of how they fared: the slow ones would
// be missing.
package curves
