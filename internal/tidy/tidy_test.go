package tidy

import (
	"strings"
	"testing"
)

// rules are all the rules, by the names that exceptions use.
var rules = []struct {
	name  string
	check func(*repo) []finding
}{
	{"floors", checkFloors},
	{"floors-table", checkFloorsTable},
	{"purity", checkPurity},
	{"map-range", checkMapRange},
	{"file-lines", checkFileLines},
	{"function-lines", checkFunctionLines},
	{"columns", checkColumns},
	{"parameters", checkParameters},
	{"exported-names", checkExportedNames},
	{"modules", checkModules},
	{"third-party", checkThirdParty},
	{"names", checkNames},
	{"links", checkLinks},
	{"policy-files", checkPolicyFiles},
}

func TestTidy(t *testing.T) {
	r := readRepo(t, "../..")
	r.exports = exportData(t, "../..", r)
	used := map[string]bool{}
	for _, rule := range rules {
		// Found here and not inside Run, so that the exceptions are judged
		// by all rules even when -run picks one.
		found := rule.check(r)
		for _, f := range found {
			used[rule.name+" "+f.subject] = true
		}
		t.Run(rule.name, func(t *testing.T) {
			for _, f := range found {
				if _, ok := exceptions[rule.name+" "+f.subject]; !ok {
					t.Error(f)
				}
			}
		})
	}
	t.Run("exceptions", func(t *testing.T) {
		for _, key := range sortedKeys(exceptions) {
			if !used[key] {
				t.Errorf("nobody needs the exception %q any more: remove it", key)
			}
			if len(strings.Fields(exceptions[key])) < 3 {
				t.Errorf("the exception %q gives no reason", key)
			}
		}
	})
}

// expect fails unless the findings are those wanted: one for each word, in
// order, whose text holds it. No words: the rule must be content.
func expect(t *testing.T, found []finding, words ...string) {
	t.Helper()
	for i, f := range found {
		if i >= len(words) {
			t.Errorf("unexpected: %v", f)
		} else if !strings.Contains(f.String(), words[i]) {
			t.Errorf("finding %d is %q, want it to hold %q", i, f, words[i])
		}
	}
	for _, word := range words[min(len(found), len(words)):] {
		t.Errorf("nothing found that holds %q", word)
	}
}
