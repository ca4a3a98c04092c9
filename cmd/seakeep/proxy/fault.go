package proxy

import (
	"strings"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/seakeephttp"
)

// faultsOf returns what a file says of hurting what a listener leads to; nil:
// it may not be hurt.
func (x *exchange) faultsOf() *config.Faults {
	file := x.p.set.File()
	if x.route.gate != nil {
		if file.Serve == nil {
			return nil
		}
		return file.Serve.Faults
	}
	if d := file.Dependency(x.route.name); d != nil {
		return d.Faults
	}
	return nil
}

// unmark takes out of a request what its sender may not say.
func (x *exchange) unmark() {
	if x.r.Header[config.FaultHeader] != nil {
		seakeephttp.KeepMarks(x.faultsOf(), x.r)
	}
}

// unhurt reports whether a request is none that may be hurt: the door has let
// it pass as a health check.
func (x *exchange) unhurt() bool {
	return x.route.gate != nil && seakeep.VisitOf(x.r.Context()) == nil
}

// markInjected says in an answer of our own what has hurt the request.
func (x *exchange) markInjected() {
	var names []string
	for _, a := range x.report.Attempts {
		if a.Faults != "" && (len(names) == 0 || names[len(names)-1] != a.Faults) {
			names = append(names, a.Faults)
		}
	}
	if len(names) > 0 {
		x.w.Header().Set(seakeephttp.InjectedHeader, strings.Join(names, ", "))
	}
}
