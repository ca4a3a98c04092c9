package config

import "strings"

// check turns a policy's own verdict on its settings into mistakes of the
// file. The readers refuse most of it earlier, with words for the file; what
// is left are conditions between two settings, which only the policy knows.
// fields maps the policy's field names to keys below o. After a mistake in the
// same rung there is nothing to check: a default stands in its place.
func (o *object) check(err error, fields map[string]string) {
	if err == nil || o.broken || o.d.failures > o.clean {
		return
	}
	for _, e := range split(err) {
		name, text, _ := strings.Cut(e.Error(), ": ")
		problem, fix, _ := strings.Cut(text, "; ")
		key := fields[name]
		if f := o.closest(key); f != nil {
			o.d.failAt(f.node.Line, f.node.Column, below(o.path, key), problem, fix)
			continue
		}
		o.d.failAt(o.at.Line, o.at.Column, below(o.path, key), problem, fix)
	}
}

// refuse records a mistake of two settings together at the one below path. If
// an operation took that one from its dependency, where it does no harm, the
// mistake is the operation's.
func (o *object) refuse(path, problem, fix string) {
	first, _, _ := strings.Cut(path, ".")
	f := o.lookup(path)
	if f == nil || o.base != nil && o.fields[first] == nil {
		o.d.failAt(o.at.Line, o.at.Column, below(o.path, path), problem, fix)
		return
	}
	f.fail(problem, fix)
}

// closest returns the field of key or of the closest section around it.
func (o *object) closest(key string) *field {
	for key != "" {
		if f := o.lookup(key); f != nil {
			return f
		}
		key = key[:max(strings.LastIndexByte(key, '.'), 0)]
	}
	return nil
}

// below adds keys that are joined already.
func below(path, keys string) string {
	if keys == "" {
		return path
	}
	return path + "." + keys
}

// split takes joined errors apart.
func split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, split(e)...)
	}
	return all
}
