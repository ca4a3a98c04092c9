package tidy

import (
	"path"
	"slices"
	"testing"
)

// configured are the policies that people set in a file or a literal.
var configured = []string{"window", "deadline", "retry", "budget", "breaker", "bulkhead", "stale",
	"throttle", "hedge", "limit", "queue", "quota", "shed", "degrade", "idempotency", "outlier", "health",
	"fault", "shard", "failover", "slo", "balance"}

// pageOf names the page of a policy where it is not called as its folder: a
// reader looks for what a thing is for.
var pageOf = map[string]string{"stale": "fallback"}

// checkPolicyFiles keeps the policies alike, so that knowing one is knowing all.
func checkPolicyFiles(r *repo) (found []finding) {
	packages := r.packages()
	for _, dir := range sortedKeys(packages) {
		if !isPolicy(dir) || !hasProduct(packages[dir]) {
			continue
		}
		name := path.Base(dir)
		want := map[string]string{dir + "/doc.go": "why, how it works, its locking and its source"}
		if slices.Contains(configured, name) {
			want[dir+"/config.go"] = "the settings with their defaults, and Validate"
		}
		if locks(packages[dir]) {
			want[dir+"/machine.go"] = "the decisions, without the lock"
			want[dir+"/"+name+".go"] = "the concurrent shell around the machine"
		}
		page := name
		if pageOf[name] != "" {
			page = pageOf[name]
		}
		want["docs/policies/"+page+".md"] = "the policy's page for its users"
		for _, file := range sortedKeys(want) {
			if !r.paths[file] {
				found = append(found, finding{subject: file, problem: "is missing: " + want[file]})
			}
		}
	}
	return found
}

// locks reports whether a package's product has a mutex, and so a shell.
func locks(sources []*source) bool {
	return slices.ContainsFunc(sources, func(s *source) bool {
		_, found := s.imports()["sync"]
		return found && !s.isTest()
	})
}

func TestPolicyFilesCatch(t *testing.T) {
	const plain, locked = "package p\n", "package p\nimport _ \"sync\"\n"
	expect(t, checkPolicyFiles(repoOf(t, map[string]string{"core/balance/pick.go": plain})),
		"core/balance/config.go: is missing", "core/balance/doc.go: is missing",
		"docs/policies/balance.md: is missing")
	expect(t, checkPolicyFiles(repoOf(t, map[string]string{"core/stale/doc.go": locked})),
		"core/stale/config.go", "core/stale/machine.go", "core/stale/stale.go",
		"docs/policies/fallback.md")
	expect(t, checkPolicyFiles(repoOf(t, map[string]string{
		"core/stale/doc.go":         plain,
		"core/stale/config.go":      plain,
		"docs/policies/fallback.md": "# Fallback\n",
	})))
	expect(t, checkPolicyFiles(repoOf(t, map[string]string{
		"core/retry/a_test.go": plain,
		"core/doc.go":          plain,
		"core/call/call.go":    locked,
	})))
}
