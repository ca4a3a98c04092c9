package config

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Aliases may not make a small file large: each level multiplies.
func TestAliasBombsAreRefusedQuickly(t *testing.T) {
	var lists, merges strings.Builder
	for i := range 30 {
		list, merge := "[x, x]", "{kind: optional}"
		if i > 0 {
			list = fmt.Sprintf("[*a%d, *a%d]", i-1, i-1)
			merge = fmt.Sprintf("{<<: [*m%d, *m%d]}", i-1, i-1)
		}
		fmt.Fprintf(&lists, "a%d: &a%d %s\n", i, i, list)
		fmt.Fprintf(&merges, "  m%d: &m%d %s\n", i, i, merge)
	}
	began := time.Now()
	const want = "the aliases expand to more than 262144 values"
	wants(t, "version: 1\nservice: s\n"+lists.String(), want)
	wants(t, head+merges.String(), want)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("refusing took %v", took)
	}
}

const head = "version: 1\nservice: s\ndependencies:\n"

func TestAliasesThatContainThemselves(t *testing.T) {
	for _, text := range []string{
		"dependencies: &a\n  x: *a\n",
		"dependencies:\n  x: &a {<<: *a}\n",
		"dependencies:\n  x: {endpoints: &a [*a]}\n",
	} {
		wants(t, "version: 1\nservice: s\n"+text, "the alias *a contains itself; write")
	}
}

// What is right in one place stays right in many.
func TestManyAliasesAreFine(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + "  d0: &d {timeout: &t {request: 1s}, bulkhead: {limit: 1}}\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "  e%d: {<<: *d, timeout: *t}\n", i)
	}
	f := mustParse(t, b.String())
	last := f.Dependencies[len(f.Dependencies)-1]
	if last.Name != "e999" || last.Call.Name != "e999" || last.Call.Bulkhead.Limit != 1 ||
		last.Call.Timeout.Request != time.Second {
		t.Errorf("the last dependency is %+v", last)
	}
	if last.Call.Bulkhead == f.Dependencies[0].Call.Bulkhead {
		t.Error("two dependencies share one settings literal")
	}
}

// A mistake in a value that many take over by alias is told once.
func TestOneMistakeIsToldOnce(t *testing.T) {
	wants(t, head+"  a: &a {timeout: {request: 5}}\n  b: *a\n  c: {<<: *a}\n",
		"4:29: dependencies.a.timeout.request: 5 has no unit")
	wants(t, dependency("timeout: {request: 5}, "+
		"operations: [{name: x}, {name: y, timeout: {total: 1s}}]"),
		"4:26: dependencies.a.timeout.request: 5 has no unit")
}

func TestDuplicateKeys(t *testing.T) {
	const line4 = " is already on line 4; remove one of them"
	wants(t, dependency("timeout: {request: 1s, request: 1s}"), `4:30: the key "request"`+line4)
	wants(t, dependency("kind: optional")+"  a: {}\n", `5:3: the key "a"`+line4)
	wants(t, dependency("")+`  "a": {}`+"\n", `5:3: the key "a"`+line4)
	wants(t, dependency("<<: {kind: optional}, <<: {}"), `4:29: the key "<<"`+line4)
}

func TestMergeKeys(t *testing.T) {
	f := mustParse(t, head+
		"  a: &a {kind: optional, timeout: {request: 1s, total: 2s}}\n"+
		"  b: {timeout: {total: 3s}, <<: *a}\n"+
		"  c: {<<: [{kind: critical}, *a]}\n"+
		"  d: &d {<<: *a, kind: critical}\n"+
		"  e: {<<: *d}\n")
	b, c, e := f.Dependency("b"), f.Dependency("c"), f.Dependency("e")
	if b.Kind != Optional || b.Call.Timeout.Request != 0 || b.Call.Timeout.Total != 3*time.Second {
		t.Errorf("an own key does not beat a merged one as a whole: %+v", b.Call.Timeout)
	}
	if c.Kind != Critical || c.Call.Timeout.Request != time.Second {
		t.Errorf("an earlier merge does not beat a later one: %v %+v", c.Kind, c.Call.Timeout)
	}
	if e.Kind != Critical || e.Call.Timeout.Total != 2*time.Second {
		t.Errorf("a merge of a merge is lost: %v %+v", e.Kind, e.Call.Timeout)
	}
}

func TestTags(t *testing.T) {
	mustParse(t, "version: !!int 1\nservice: !!str s\ndependencies: !!map\n  a: {}\n")
	wants(t, dependency("kind: !mine optional"), `the tag "!mine" means nothing here; remove it`)
	wants(t, dependency("endpoints: !!set [http://a]"), `the tag "!!set" means nothing here`)
}
