package overload

import (
	"embed"
	"fmt"
	"io"
)

// The policy files that protect the program, one for each demo and more.
//
//go:embed policies
var policies embed.FS

// policyFiles are the files of each demo.
var policyFiles = map[string][]string{
	"overload":   {"overload.yaml"},
	"tenants":    {"tenants.yaml"},
	"metastable": {"bounded.yaml", "recovers.yaml", "open.yaml"},
}

func policyFile(name string) ([]byte, error) { return policies.ReadFile("policies/" + name) }

// WritePolicies writes the policy files of a demo: overload, tenants or
// metastable. Where there are several, each follows a line with its name.
func WritePolicies(w io.Writer, demo string) error {
	names := policyFiles[demo]
	if len(names) == 0 {
		return fmt.Errorf("there is no demo %q", demo)
	}
	for i, name := range names {
		text, err := policyFile(name)
		if err != nil {
			return err
		}
		if len(names) > 1 {
			if i > 0 {
				fmt.Fprintln(w, "---")
			}
			fmt.Fprintf(w, "# %s\n", name)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}
