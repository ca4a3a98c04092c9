package dashboard

import (
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/cmd/seakeep/review"
	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/config"
)

// noticeReload compares the values of a file with those before it. The caller
// holds the lock.
func (d *Dashboard) noticeReload(p *Program) {
	file := p.Set.File()
	if file == d.file {
		return
	}
	values := valuesOf(file, pathOf(p))
	if d.file != nil {
		d.changes = differences(d.values, values)
	}
	d.file, d.values = file, values
}

func pathOf(p *Program) string {
	if p.File != nil {
		if path, _, _ := p.File(); path != "" {
			return path
		}
	}
	return "policy file"
}

func valuesOf(file *config.File, name string) []schema.Value {
	values := []schema.Value{}
	for _, v := range review.New(file, name).Values {
		values = append(values, schema.Value(v))
	}
	return values
}

// differences lists what a reload changed, by the new file's order, and what went
// at the end. A value that only moved to another line is the same.
func differences(before, after []schema.Value) []schema.ValueChange {
	changes := []schema.ValueChange{}
	old := make(map[string]string, len(before))
	for _, v := range before {
		old[v.Path] = v.Value
	}
	kept := make(map[string]bool, len(after))
	for _, v := range after {
		kept[v.Path] = true
		if was, there := old[v.Path]; !there || was != v.Value {
			changes = append(changes, schema.ValueChange{Path: v.Path, Before: was, After: v.Value,
				From: v.From})
		}
	}
	for _, v := range before {
		if !kept[v.Path] {
			changes = append(changes, schema.ValueChange{Path: v.Path, Before: v.Value})
		}
	}
	return changes
}

// policyFile says in short what /api/v1/policy shows, so that who follows the
// snapshots knows when to ask. It is nil if the policies came from nowhere.
func policyFile(p *Program) *schema.PolicyFile {
	if p.File == nil {
		return nil
	}
	path, loaded, refused := p.File()
	v := &schema.PolicyFile{File: path}
	if !loaded.IsZero() {
		v.LoadedMS = unixMS(loaded)
	}
	if refused != nil {
		line, _, _ := strings.Cut(refused.Error(), "\n")
		v.Refused = schema.Text(line)
	}
	return v
}

// policy is the policy file in use.
func (d *Dashboard) policy(p *Program) *schema.Policy {
	d.mu.Lock()
	d.noticeReload(p)
	file, values, changes := d.file, d.values, d.changes
	d.mu.Unlock()
	v := &schema.Policy{Version: schema.Version, File: pathOf(p), Values: values, Changes: changes,
		Findings: []schema.Finding{}, Warnings: []string{}}
	if changes == nil {
		v.Changes = []schema.ValueChange{}
	}
	if p.File != nil {
		_, loaded, refused := p.File()
		if !loaded.IsZero() {
			v.LoadedMS = unixMS(loaded)
		}
		if refused != nil {
			v.Refused = refused.Error()
		}
	}
	for _, w := range file.Warnings() {
		v.Warnings = append(v.Warnings, w.String())
	}
	for _, f := range check.Files([]*config.File{file}) {
		v.Findings = append(v.Findings, schema.Finding{Rule: f.Rule, Severity: f.Severity.String(),
			Line: f.Line, Column: f.Column, Path: f.Path, Dependency: f.About(), Why: f.Why,
			Number: f.Number.String(), Fix: f.Fix, Bites: f.Bites})
	}
	return v
}
