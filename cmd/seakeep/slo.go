package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
	"github.com/seakeep/seakeep/config"
)

const sloLong = `Shows the objectives of a policy file: how much of each error budget is left, how
fast it burns, which alerts fire, what is done about it, and how it was spent.

It asks the proxy that runs with the file, at --admin or at the file's admin
address. If none answers at the file's address it shows what the file promises,
and says so.`

// sloFlags are the flags of "slo".
type sloFlags struct {
	admin  string
	asJSON bool
}

func newSLOCommand() *cobra.Command {
	var f sloFlags
	c := &cobra.Command{
		Use:   "slo FILE",
		Short: "Show how much of the error budgets is left",
		Long:  sloLong,
		Example: "  seakeep slo seakeep.yaml\n" +
			"  seakeep slo test seakeep.yaml --errors 2% --for 1h",
		Args:    onePolicy,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return f.check(cmd) },
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },

		DisableFlagsInUseLine: true,
	}
	c.Flags().StringVar(&f.admin, "admin", "", adminUsage)
	c.Flags().BoolVar(&f.asJSON, "json", false, "print it as JSON")
	addCommands(c, newSLOTestCommand())
	return c
}

func (f *sloFlags) check(cmd *cobra.Command) error {
	if err := fromEnvironment(cmd); err != nil || f.admin == "" {
		return err
	}
	return checkAddress(f.admin)
}

// errNoObjectives is for a file that promises nothing.
var errNoObjectives = errors.New(
	"the file has no objectives; add slo: [{name: checkout, objective: 99.9%, latency: 300ms}]")

func (f *sloFlags) run(cmd *cobra.Command, name string) error {
	file, shown, err := readFile(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if file.SLO == nil {
		return fmt.Errorf("%s: %w", shown, errNoObjectives)
	}
	at := f.admin
	if at == "" {
		at = file.Admin.Listen
	}
	view, err := askSLO(cmd.Context(), at)
	if err != nil && f.admin != "" {
		return err
	}
	if f.asJSON {
		return f.json(cmd, file, view)
	}
	if view == nil {
		why := "it has no admin address"
		if at != "" {
			why = "no proxy answers at " + at
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "what the file promises; %s to say how it goes\n", why)
		return writePromises(cmd.OutOrStdout(), file)
	}
	return writeSLO(cmd.OutOrStdout(), view)
}

func (f *sloFlags) json(cmd *cobra.Command, file *config.File, view *proxy.SLOView) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetIndent("", "  ")
	if view != nil {
		return e.Encode(view)
	}
	return e.Encode(promisesOf(file))
}

// askSLO asks a proxy. Without an address there is no answer and no error.
func askSLO(ctx context.Context, admin string) (*proxy.SLOView, error) {
	if admin == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+"/v1/slo", nil)
	if err != nil {
		return nil, err
	}
	resp, err := direct.Do(req)
	if err != nil {
		return nil, fmt.Errorf("no proxy answers at %s: %w", admin, err)
	}
	defer resp.Body.Close()
	v := &proxy.SLOView{}
	d := json.NewDecoder(http.MaxBytesReader(nil, resp.Body, 16<<20))
	if resp.StatusCode != http.StatusOK || d.Decode(v) != nil || v.Service == "" {
		return nil, fmt.Errorf("what answers at %s is no proxy that knows objectives (status %d)", admin,
			resp.StatusCode)
	}
	return v, nil
}
