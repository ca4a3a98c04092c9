package config

import "slices"

// maxFeatures is as many as a policy may name.
const maxFeatures = 64

// features reads what a route can do without, each with its time.
func (o *object) features(r *Route, policy *File) {
	const key = "features"
	if o.find(key) == nil {
		o.note(key, nil, "none")
		return
	}
	const example = "what can be left out and its time, such as {prefetch: 5ms}"
	under := o.d.object(join(o.path, key), join(o.pattern, key), o.at)
	for _, f := range o.members(key, example, maxFeatures) {
		name := f.key.Value
		if !nameForm.MatchString(name) {
			f.failKey("not a name for a feature", "give "+nameFix)
		}
		var v Feature
		v.Name = name
		under.latencyAt(name, f, &v.Work)
		r.Features = append(r.Features, v)
		if policy != nil && policy.Serve != nil {
			f.warnKept(policy.Serve, name)
		}
	}
}

// warnKept warns of a feature that is never left out, which is most likely a
// slip: what is always there belongs to the work.
func (f *field) warnKept(s *Serve, name string) {
	d := s.Door.Degrade
	if d == nil || slices.Contains(d.Features, name) {
		return
	}
	f.d.warnings = append(f.d.warnings, Warning{File: f.d.file, Line: f.key.Line,
		Column: f.key.Column, Path: f.path, Problem: "degrade in the policy does not name " + name +
			", so that it is never left out", Fix: "add it there, or to work"})
}
