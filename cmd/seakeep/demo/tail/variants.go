package tail

import (
	"fmt"
	"strings"
)

// variant is a way to look after the replicas, or not.
type variant struct {
	name   string
	about  string
	beside bool // not of the four that are compared
}

// variants are in the order of the report. The first four take turns among the
// endpoints. Choosing by latency is a remedy of its own: with it in all of them
// nobody could tell what the others do.
var variants = []variant{
	{name: "none", about: "by turns, and nothing else"},
	{name: "outlier", about: "by turns; whoever is slower than the others is taken out"},
	{name: "hedge", about: "by turns; what takes long is asked of another one too"},
	{name: "both", about: "by turns, with both"},
	{name: "two_choices", about: "the faster of two drawn by chance, the default", beside: true},
}

// allSlow is the name of the run in which every replica is slow.
const allSlow = "all slow"

// file is the name of its policy file.
func (v variant) file() string { return strings.ReplaceAll(v.name, "_", "-") + ".yaml" }

func variantOf(name string) variant {
	for _, v := range variants {
		if v.name == name {
			return v
		}
	}
	panic(fmt.Sprintf("tail: there is no variant %q", name))
}

// names returns the names of all runs, in the order of the report.
func names() (all []string) {
	for _, v := range variants {
		all = append(all, v.name)
	}
	return append(all, allSlow)
}
