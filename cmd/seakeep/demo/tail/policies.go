package tail

import (
	"embed"
	"fmt"
	"io"
	"net/url"

	"github.com/seakeep/seakeep/config"
)

// The policy files, one for each variant.
//
//go:embed policies
var policies embed.FS

// dependency is the replicas' name in the policy files.
const dependency = "quotes"

func policyFile(name string) ([]byte, error) { return policies.ReadFile("policies/" + name) }

// read returns a policy file with the replicas where they are.
func read(name string, urls []string) (*config.File, error) {
	text, err := policyFile(name)
	if err != nil {
		return nil, err
	}
	f, err := config.Parse(name, text)
	if err != nil {
		return nil, err
	}
	d := f.Dependency(dependency)
	if d == nil || len(d.Endpoints) != len(urls) {
		return nil, fmt.Errorf("%s does not name %d endpoints of %s", name, len(urls), dependency)
	}
	for i, u := range urls {
		if d.Endpoints[i], err = url.Parse(u); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// WritePolicies writes the policy files, each after a line with its name.
func WritePolicies(w io.Writer) error {
	for i, v := range variants {
		text, err := policyFile(v.file())
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(w, "---")
		}
		fmt.Fprintf(w, "# %s\n%s", v.file(), text)
	}
	return nil
}
