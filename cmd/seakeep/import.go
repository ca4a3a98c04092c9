package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/config/foreign"
)

const importLong = `Makes a policy file from settings of Envoy (YAML or JSON: a bootstrap, clusters,
routes, or a piece of them), of gRPC (a service config), of Resilience4j (YAML or
properties) or of OpenSLO (objectives and their alerts). The file - is standard
input.

The policy goes to standard output, each value with a comment that says where it
comes from. The report goes to standard error and lists every setting of the
input once: mapped if the policy does the same, approximated with the
difference, or dropped with the reason. With --report json both go to standard
output as one object.

The exit status is 1 if the file cannot be read or nothing in it could be mapped.`

// importFlags are the flags of "import".
type importFlags struct {
	service, report string
}

func newImportCommand() *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use:   "import envoy|grpc|resilience4j|openslo FILE",
		Short: "Make a policy file from settings of Envoy, gRPC, Resilience4j or OpenSLO",
		Long:  importLong,
		Example: "  seakeep import envoy envoy.yaml >seakeep.yaml\n" +
			"  seakeep import resilience4j --service checkout - <application.yml",
		Args:    oneImport,
		PreRunE: func(_ *cobra.Command, args []string) error { return f.check(args) },
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },

		DisableFlagsInUseLine: true,
	}
	c.Flags().StringVar(&f.service, "service", "",
		"name of the service that calls the dependencies (default: as the input says)")
	c.Flags().StringVar(&f.report, "report", "text", "text or json")
	return c
}

// imports are the translations by the word for their source.
var imports = map[string]func([]byte, string) (*foreign.Translation, error){
	"envoy": foreign.Envoy, "grpc": foreign.GRPC, "resilience4j": foreign.Resilience4j,
	"openslo": foreign.OpenSLO,
}

func oneImport(_ *cobra.Command, args []string) error {
	switch {
	case len(args) < 2:
		return errors.New("give envoy, grpc, resilience4j or openslo, and then a file, or - for standard input")
	case len(args) > 2:
		return fmt.Errorf("one file at a time; %q is left over", args[2])
	}
	return nil
}

func (f *importFlags) check(args []string) error {
	if imports[args[0]] == nil {
		return fmt.Errorf("%q cannot be imported; use envoy, grpc, resilience4j or openslo", args[0])
	}
	if f.report != "text" && f.report != "json" {
		return fmt.Errorf("--report is %q; use text or json", f.report)
	}
	if f.service != "" && !foreign.ValidName(f.service) {
		return fmt.Errorf("--service is %q; use up to 63 letters, digits, dots, hyphens and "+
			"underscores", f.service)
	}
	return nil
}

func (f *importFlags) run(cmd *cobra.Command, args []string) error {
	name, data, err := readImport(args[1], cmd.InOrStdin())
	if err != nil {
		return err
	}
	t, err := imports[args[0]](data, f.service)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if f.report == "json" {
		err = t.WriteJSON(cmd.OutOrStdout())
	} else {
		err = printImport(t, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	if err == nil && t.Policy == "" {
		err = fmt.Errorf("nothing in %s could be mapped", name)
	}
	return err
}

// readImport reads a file and returns what to call it. It stops a little after
// the most that an import takes, which then refuses it.
func readImport(file string, stdin io.Reader) (name string, data []byte, err error) {
	if file == "-" {
		data, err = config.ReadAll(stdin)
		return "stdin", data, err
	}
	f, err := os.Open(file)
	if err != nil {
		return file, nil, err
	}
	defer f.Close()
	data, err = config.ReadAll(f)
	return file, data, err
}

// printImport writes the policy for a file and the report for a person.
func printImport(t *foreign.Translation, stdout, stderr io.Writer) error {
	if _, err := io.WriteString(stdout, t.Policy); err != nil {
		return err
	}
	return t.Report.Write(stderr)
}
