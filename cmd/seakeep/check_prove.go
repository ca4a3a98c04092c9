package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/cmd/seakeep/review/prove"
	"github.com/seakeep/seakeep/config"
)

// proofs runs what makes the findings bite. It fails if something is worse as it
// is, as the check itself would.
func (f *checkFlags) proofs(out io.Writer, files []*config.File) error {
	rule := f.prove
	if rule == everyRule {
		rule = ""
	}
	all := []*prove.Proof{}
	worse := 0
	for _, finding := range prove.Choose(check.Files(files), rule) {
		p, err := prove.Of(finding, files)
		if err != nil {
			return fmt.Errorf("%s at line %d cannot be proven: %w", finding.Rule, finding.Line, err)
		}
		if p.Worse {
			worse++
		}
		all = append(all, p)
		if f.format == "text" {
			if err := p.Write(out); err != nil {
				return err
			}
		}
	}
	if f.format == "json" {
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(map[string]any{"proofs": all}); err != nil {
			return err
		}
	}
	if len(all) == 0 && f.format == "text" {
		if _, err := io.WriteString(out, "no finding that a scenario could make bite\n"); err != nil {
			return err
		}
	}
	if worse > 0 {
		return fmt.Errorf("%d of %s worse than with the fix", worse, plural(len(all), "scenario is", "scenarios are"))
	}
	return nil
}
