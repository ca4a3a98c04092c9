package check

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // has the schema in its sources
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seakeep/seakeep/config"
)

// What is written is SARIF 2.1.0, by the official schema.
func TestSARIFIsValid(t *testing.T) {
	paths, err := filepath.Glob(pairs + "/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []*config.File
	for _, path := range append(paths, examples+"/bad.yaml") {
		f, err := config.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	odd, err := config.Parse("a b/ü%20#?.yaml", []byte("version: 1\nservice: s\ndependencies:\n"+
		"  a: {timeout: {request: 1s}, bulkhead: {limit: 5}} # seakeep:ignore breaker-missing: \"<&>\"\n  b: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	schema := sarifSchema(t)
	against := func(data []byte) error {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		return schema.Validate(doc)
	}
	reported := 0
	for _, files := range [][]*config.File{all, {odd}, nil} {
		report := Run(files)
		reported += len(report.Findings) + len(report.Suppressed)
		o := &Output{Report: report, Files: files, Version: "v1.2.3"}
		if len(files) == 1 {
			o.Version = ""
			if len(report.Suppressed) != 1 {
				t.Errorf("suppressed %+v", report.Suppressed)
			}
		}
		var b bytes.Buffer
		if err := o.Write(&b, "sarif"); err != nil {
			t.Fatal(err)
		}
		if err := against(b.Bytes()); err != nil {
			t.Errorf("%v\n%.2000s", err, &b)
		}
	}
	if reported < 100 {
		t.Errorf("only %d findings", reported)
	}
	// What is no SARIF is found: a key that is missing, an unknown one, a version.
	for _, broken := range []string{`{"version": "2.1.0", "runs": [{"results": []}]}`,
		`{"version": "2.1.0", "runs": [], "more": 1}`, `{"version": "9", "runs": []}`} {
		if against([]byte(broken)) == nil {
			t.Errorf("%s is taken for SARIF", broken)
		}
	}
}

// sarifSchema is the schema that OASIS publishes (SARIF 2.1.0, errata 01), as the
// module go-sarif has it. That keeps it in a constant that is not exported, so it
// is read out of the source.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}",
		"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.BasicLit); ok && v.Kind == token.STRING {
			text, _ = strconv.Unquote(v.Value)
		}
		return true
	})
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if top := doc.(map[string]any); !strings.Contains(top["id"].(string), "oasis-open.org/sarif/sarif/v2.1.0") {
		t.Fatalf("the schema is %v", top["id"])
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
