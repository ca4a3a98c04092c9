package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// breakerFlags are the arguments of "breaker".
type breakerFlags struct {
	admin, name, order, key string
}

// breakerOrders are what can be ordered, and what then holds.
var breakerOrders = map[string]string{
	"force-open":   "is held open: every call is refused",
	"force-closed": "is held closed: every call is let through",
	"auto":         "decides by itself",
	"reset":        "begins anew, closed",
}

const breakerLong = `Holds the circuit breaker of a running proxy's dependency open or closed, until
"auto" gives the decision back to what it counts; "reset" forgets what was
counted. An operation that shares its dependency's breaker changes that one.`

func newBreakerCommand() *cobra.Command {
	f := &breakerFlags{}
	c := &cobra.Command{
		Use:     "breaker DEPENDENCY[/OPERATION] force-open|force-closed|auto|reset",
		Short:   "Hold a circuit breaker open or closed",
		Long:    breakerLong,
		Example: "  seakeep breaker pricing force-open\n  seakeep breaker pricing/quote auto",
		Args:    cobra.ExactArgs(2),
		PreRunE: func(cmd *cobra.Command, args []string) error { return f.check(cmd, args) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	c.Flags().StringVar(&f.admin, "admin", "127.0.0.1:9901", adminUsage)
	c.Flags().StringVar(&f.key, "key", "", "of a breaker that is kept per `key`: which one")
	return c
}

func (f *breakerFlags) check(cmd *cobra.Command, args []string) error {
	if err := fromEnvironment(cmd); err != nil {
		return err
	}
	f.name, f.order = args[0], args[1]
	if f.name == "" {
		return errors.New("DEPENDENCY is empty; give a name of the policy file, such as pricing")
	}
	if breakerOrders[f.order] == "" {
		return fmt.Errorf("%q is no order; give force-open, force-closed, auto or reset", f.order)
	}
	return checkAddress(f.admin)
}

func (f *breakerFlags) run(cmd *cobra.Command) error {
	dependency, operation, is := strings.Cut(f.name, "/")
	path := "/v1/dependencies/" + url.PathEscape(dependency)
	if is {
		path += "/operations/" + url.PathEscape(operation)
	}
	order := map[string]any{"mode": f.order}
	if f.order == "reset" {
		order = map[string]any{"reset": true}
	}
	if f.key != "" {
		order["key"] = f.key
	}
	if err := tell(cmd.Context(), f.admin, path+"/breaker", order, aBreaker); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "the breaker of %s %s\n", f.name, breakerOrders[f.order])
	return nil
}

var aBreaker = shows{"this breaker", func(answer []byte) bool {
	var v struct{ State, Mode string }
	return json.Unmarshal(answer, &v) == nil && v.State != "" &&
		slices.Contains([]string{"auto", "force-open", "force-closed"}, v.Mode)
}}
