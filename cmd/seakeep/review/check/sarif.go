package check

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The parts of SARIF 2.1.0 that code scanning reads.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifMessage `json:"shortDescription"`
		Full    sarifMessage `json:"fullDescription"`
		Help    sarifMessage `json:"help"`
		Default sarifLevel   `json:"defaultConfiguration"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifMessage       `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			Line   int `json:"startLine"`
			Column int `json:"startColumn"`
		} `json:"region"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

var sarifLevels = map[Severity]string{Error: "error", Warning: "warning", Info: "note"}

func (o *Output) sarif() sarifLog {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Tool: sarifTool{sarifDriver{Name: "seakeep", Version: o.Version}}}
	index := map[string]int{}
	for i, r := range rules {
		index[r.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{r.ID, sarifMessage{r.Title},
			sarifMessage{r.Why}, sarifMessage{"Fix: " + r.Fix + ". It bites when: " + r.Bites + "."},
			sarifLevel{sarifLevels[r.Severity]}})
	}
	seen := map[string]int{}
	add := func(f *Finding, reason string) {
		v := sarifResult{RuleID: f.Rule, RuleIndex: index[f.Rule], Level: sarifLevels[f.Severity],
			Message: sarifMessage{f.message()}, Locations: make([]sarifLocation, 1)}
		at := &v.Locations[0].Physical
		at.Artifact.URI = (&url.URL{Path: relative(f.File)}).String()
		at.Region.Line, at.Region.Column = f.Line, f.Column
		// By the key and not the line, so that lines above may come and go.
		same := f.Rule + "\n" + at.Artifact.URI + "\n" + f.Path
		sum := sha256.Sum256([]byte(same + "\n" + strconv.Itoa(seen[same])))
		seen[same]++
		v.Fingerprints = map[string]string{"seakeepKey/v1": hex.EncodeToString(sum[:12])}
		if reason != "" {
			v.Suppressions = []sarifSuppression{{"inSource", reason}}
		}
		run.Results = append(run.Results, v)
	}
	for i := range o.Findings {
		add(&o.Findings[i], "")
	}
	for i := range o.Suppressed {
		add(&o.Suppressed[i], o.Suppressed[i].Reason)
	}
	return sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}

// relative is the name of a file from where the program runs, with slashes, so
// that it is the same on every machine.
func relative(name string) string {
	if filepath.IsAbs(name) {
		if here, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(here, name); err == nil && !strings.HasPrefix(rel, "..") {
				name = rel
			}
		}
	}
	return filepath.ToSlash(filepath.Clean(name))
}
