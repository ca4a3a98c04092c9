package foreign

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/seakeep/seakeep/config"
)

// maxInput bounds what is read, as config bounds a policy file.
const maxInput = 1 << 20

// Translation is what became of an input.
type Translation struct {
	// Policy is a policy file that config.Parse accepts. It is empty if
	// nothing in the input could be mapped.
	Policy string `json:"policy"`
	// Report says what became of each setting.
	Report Report `json:"report"`
}

// nameForm is what config accepts as the name of a service, a dependency or an
// operation.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// ValidName reports whether a service may have this name.
func ValidName(name string) bool { return nameForm.MatchString(name) }

// translation is one import under way.
type translation struct {
	tool string // what the source calls itself, for comments
	root *node
	doc  *block // the policy file
	deps *block // its dependencies
	why  map[string]string
	used *namer // of dependencies

	failed error // why there is no translation
}

// begin checks what all imports share and reads the input.
func begin(tool, service string, data []byte, read func([]byte) (*node, error)) (
	*translation, error,
) {
	if service != "" && !ValidName(service) {
		return nil, fmt.Errorf("%q cannot be the name of a service; give up to 63 letters, "+
			"digits, dots, hyphens and underscores", shorten(service))
	}
	if len(data) > maxInput {
		return nil, errors.New("the input is larger than 1 MiB; import it in parts")
	}
	root, err := read(data)
	if err != nil {
		return nil, err
	}
	t := &translation{tool: tool, root: root, doc: &block{}, used: newNamer()}
	t.doc.fill("version", "1", "")
	return t, nil
}

// service names the service that is protected: as asked for, or else as the
// input has it in n, or else by a placeholder.
func (t *translation) service(asked string, n *node) {
	switch {
	case asked != "":
		t.doc.fill("service", showName(asked), "as given")
		n.drop("the name was given by hand: " + asked)
	case n != nil && n.text != "":
		name, same := cleanName(n.text)
		fate, note := sameName(same)
		t.doc.put("service", showName(name), origin{n: n, fate: fate, note: note})
	default:
		t.doc.fill("service", "imported", "the input does not say; give the name of this service")
	}
	t.deps = t.doc.sub("dependencies")
}

// mostDependencies bounds a policy. More of them do not fit into one.
const mostDependencies = 2000

// dependency adds a dependency. Its name comes from a node, or else from.note
// says what there is to say.
func (t *translation) dependency(name string, from origin) *block {
	clean, same := cleanName(name)
	unique := t.used.unique(clean)
	dep := &block{up: t.deps, name: unique}
	if from.n != nil {
		from.fate, from.note = sameName(same && unique == clean)
		from.marks(target{dep, ""})
	}
	if len(t.deps.items) == mostDependencies {
		t.failed = errors.New("the input makes more than 2000 dependencies; import it in parts")
	}
	t.deps.items = append(t.deps.items,
		&item{key: unique, value: "{}", note: from.comment(), sub: dep})
	return dep
}

// finish writes the policy and collects the report.
func (t *translation) finish() (*Translation, error) {
	if t.failed != nil {
		return nil, t.failed
	}
	out := &Translation{Report: Report{Format: t.tool, Settings: t.root.settle(t.why)}}
	out.Report.count()
	if len(t.deps.items) == 0 {
		return out, nil
	}
	out.Report.Added = t.doc.added(nil)
	text := t.doc.write(t.tool)
	if len(text) > maxInput {
		return nil, errors.New("the policy would be larger than 1 MiB; import the input in parts")
	}
	file, err := config.Parse("policy", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("the translation is wrong, which is a mistake of this program: %w",
			err)
	}
	out.Policy = text
	for _, w := range file.Warnings() {
		out.Report.Warnings = append(out.Report.Warnings, w.String())
	}
	return out, nil
}
