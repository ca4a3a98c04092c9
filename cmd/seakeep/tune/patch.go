package tune

import (
	"fmt"
	"strings"

	"github.com/seakeep/seakeep/config"
)

// differs says in which value in effect two policy files differ; empty: in none.
func differs(a, b []byte) string {
	fa, err := config.Parse("a", a)
	if err != nil {
		return err.Error()
	}
	fb, err := config.Parse("b", b)
	if err != nil {
		return err.Error()
	}
	va, vb := values(fa), values(fb)
	for path, v := range va {
		if w, ok := vb[path]; !ok || w != v {
			return fmt.Sprintf("%s is %s and %s", path, v, w)
		}
	}
	for path, w := range vb {
		if _, ok := va[path]; !ok {
			return fmt.Sprintf("%s is there in one only, as %s", path, w)
		}
	}
	return ""
}

func values(f *config.File) map[string]string {
	out := map[string]string{}
	for _, e := range f.Effective() {
		out[e.Path] = e.Value
	}
	return out
}

// change is a key of the policy file with its new value.
type change struct{ path, value string }

// apply makes changes in the text, and makes sure that it came to those and
// nothing else. Those that cannot be made are left out, with the reason.
func apply(text []byte, changes []change) (out []byte, made []change, left map[string]error) {
	left = map[string]error{}
	for {
		out, made = text, nil
		want := text
		for _, c := range changes {
			if left[c.path] != nil {
				continue
			}
			next, err := setText(out, keysOf(c.path), c.value)
			if err == nil {
				var reference []byte
				if reference, err = config.Set(want, c.path, c.value); err == nil {
					out, want = next, reference
					made = append(made, c)
					continue
				}
			}
			left[c.path] = err
		}
		diff := differs(want, out)
		if diff == "" || len(made) == 0 {
			return out, made, left
		}
		// One of them reaches further than it should, or the values do not go
		// together. The last is the first to go.
		left[made[len(made)-1].path] = fmt.Errorf("it cannot be made alone: %s", diff)
	}
}

// keysOf cuts a path whose dependency may have dots in its name, in quotes then.
func keysOf(path string) (keys []string) {
	for path != "" {
		if rest, ok := strings.CutPrefix(path, `"`); ok {
			if name, after, ok := strings.Cut(rest, `"`); ok {
				keys, path = append(keys, name), strings.TrimPrefix(after, ".")
				continue
			}
		}
		key, after, _ := strings.Cut(path, ".")
		keys, path = append(keys, key), after
	}
	return keys
}

// pathOf joins the name of a dependency and keys below it.
func pathOf(dependency, keys string) string {
	if strings.Contains(dependency, ".") {
		dependency = `"` + dependency + `"`
	}
	return "dependencies." + dependency + "." + keys
}
