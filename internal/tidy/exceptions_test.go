package tidy

// exceptions are findings we live with: "rule subject" and the reason. Think
// of splitting first; a file that is hard to split is the usual reason.
var exceptions = map[string]string{
	"parameters sim/engine.go Engine.At": "when, in which order, to whom, what and about what " +
		"are the five things an event is; nothing in them belongs together",
}
