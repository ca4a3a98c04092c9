package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/config"
)

const validateLong = `Reads policy files and tells every mistake in them at once: file, line,
column, what is wrong and how to mend it. A file named - is standard input. With
--scenario the files are scenarios, and the policy files they name are read too.

The exit status is 0 if all files can be used, warnings or not, and 1 otherwise.`

// validateFlags are the flags of "validate".
type validateFlags struct {
	output   string
	values   bool
	scenario bool
}

func newValidateCommand() *cobra.Command {
	var f validateFlags
	c := &cobra.Command{
		Use:     "validate FILE...",
		Short:   "Tell every mistake in policy files",
		Long:    validateLong,
		Example: "  seakeep validate seakeep.yaml\n  seakeep validate --values - <seakeep.yaml",
		Args:    somePolicies,
		PreRunE: func(_ *cobra.Command, args []string) error { return f.check(args) },
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },

		DisableFlagsInUseLine: true,
	}
	c.Flags().StringVarP(&f.output, "output", "o", "text", "text or json")
	c.Flags().BoolVar(&f.values, "values", false,
		"print every value in effect too, and where it comes from")
	c.Flags().BoolVar(&f.scenario, "scenario", false, "the files are scenarios")
	return c
}

func somePolicies(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("give a policy file, such as seakeep.yaml, or - for standard input")
	}
	return nil
}

func (f *validateFlags) check(args []string) error {
	if f.output != "text" && f.output != "json" {
		return fmt.Errorf("--output is %q; use text or json", f.output)
	}
	inputs := 0
	for _, arg := range args {
		if arg == "-" {
			inputs++
		}
	}
	if inputs > 1 {
		return errors.New("standard input, -, can be read once only")
	}
	return nil
}

func (f *validateFlags) run(cmd *cobra.Command, args []string) error {
	verdicts := make([]verdict, len(args))
	bad := 0
	for i, name := range args {
		verdicts[i] = f.judge(name, cmd.InOrStdin())
		if !verdicts[i].OK {
			bad++
		}
	}
	if f.output == "json" {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(map[string]any{"files": verdicts}); err != nil {
			return err
		}
	} else {
		for i := range verdicts {
			if err := verdicts[i].print(cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
				return err
			}
		}
	}
	switch {
	case bad == 0:
		return nil
	case len(args) == 1:
		return fmt.Errorf("%s cannot be used", verdicts[0].File)
	default:
		return fmt.Errorf("%d of %d files cannot be used", bad, len(args))
	}
}

// verdict is what there is to say about one file.
type verdict struct {
	File         string           `json:"file"`
	OK           bool             `json:"ok"`
	Service      string           `json:"service,omitempty"`
	Dependencies int              `json:"dependencies"`
	Errors       []*config.Error  `json:"errors"`
	Warnings     []config.Warning `json:"warnings"`
	Values       []inEffect       `json:"values,omitempty"`

	effective effective
	source    []byte
	what      string // the file holds, counted
}

// effective tells the values in effect.
type effective interface {
	Effective() []config.Effective
	WriteEffective(io.Writer) error
	Warnings() []config.Warning
}

// inEffect is one value in effect.
type inEffect struct {
	Path   string `json:"path"`
	Value  string `json:"value"`
	Source string `json:"source"`
	Line   int    `json:"line,omitempty"`
}

// judge reads one file. A file that cannot be read has a mistake without a
// position.
func (f *validateFlags) judge(name string, stdin io.Reader) verdict {
	v := verdict{File: name, Errors: []*config.Error{}, Warnings: []config.Warning{}}
	var err error
	if name == "-" {
		v.File = "stdin"
		v.source, err = config.ReadAll(stdin)
	} else {
		v.source, err = readPolicy(name)
	}
	if err == nil {
		err = v.parse(f.scenario)
	}
	var mistakes config.Errors
	switch {
	case errors.As(err, &mistakes):
		v.Errors = mistakes
		return v
	case err != nil:
		v.Errors = append(v.Errors, &config.Error{File: v.File, Problem: err.Error()})
		return v
	}
	v.OK = true
	v.Warnings = append(v.Warnings, v.effective.Warnings()...)
	if f.values {
		for _, e := range v.effective.Effective() {
			v.Values = append(v.Values, inEffect{e.Path, e.Value, e.Source.String(), e.Line})
		}
	}
	return v
}

// parse reads the file as what it is to be.
func (v *verdict) parse(scenario bool) error {
	if !scenario {
		p, err := config.Parse(v.File, v.source)
		if err != nil {
			return err
		}
		v.effective, v.Service, v.Dependencies = p, p.Service, len(p.Dependencies)
		v.what = plural(v.Dependencies, "dependency", "dependencies")
		return nil
	}
	s, err := config.ParseScenario(v.File, v.source, readPolicy)
	if err != nil {
		return err
	}
	v.effective, v.Service = s, s.Name
	v.what = plural(len(s.Services), "service", "services") + ", " +
		plural(len(s.Clients), "client", "clients")
	return nil
}

func readPolicy(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return config.ReadAll(file)
}

// print writes the verdict for a person: what is good to stdout, the rest with
// the line and a caret to stderr.
func (v *verdict) print(stdout, stderr io.Writer) error {
	var good, rest bytes.Buffer
	for _, e := range v.Errors {
		if e.Line == 0 {
			fmt.Fprintln(&rest, e.Problem)
			continue
		}
		fmt.Fprintln(&rest, e)
		if e.File == v.File {
			rest.WriteString(config.Snippet(v.source, e.Line, e.Column))
		}
	}
	for _, w := range v.Warnings {
		fmt.Fprintln(&rest, w)
		rest.WriteString(config.Snippet(v.source, w.Line, w.Column))
	}
	if v.OK {
		fmt.Fprintf(&good, "%s: ok, %s", v.File, v.what)
		if n := len(v.Warnings); n > 0 {
			fmt.Fprintf(&good, ", %s", plural(n, "warning", "warnings"))
		}
		good.WriteByte('\n')
		if len(v.Values) > 0 {
			if err := v.effective.WriteEffective(&good); err != nil {
				return err
			}
		}
	}
	if _, err := stderr.Write(rest.Bytes()); err != nil {
		return err
	}
	_, err := stdout.Write(good.Bytes())
	return err
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
