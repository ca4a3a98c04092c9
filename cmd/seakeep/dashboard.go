package main

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/pflag"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard"
)

// dashboardFlags say how the dashboard at an admin address is.
type dashboardFlags struct {
	tokenFile, history, audit string
	keep                      time.Duration
	hosts                     []string
}

func (f *dashboardFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.tokenFile, "dashboard-token-file", "",
		"`file` with the token that the dashboard's levers need; without it there are no levers")
	flags.StringVar(&f.history, "history", "",
		"`file` that keeps the dashboard's history over a restart; without it memory does")
	flags.DurationVar(&f.keep, "history-keep", 24*time.Hour, "how long the dashboard's history is kept")
	flags.StringVar(&f.audit, "audit-log", "",
		"`file` that attempts to use the dashboard's levers are added to, one JSON object a line")
	flags.StringSliceVar(&f.hosts, "admin-host", nil,
		"`name` by which the admin address may be asked too; repeat it for more")
}

func (f *dashboardFlags) check() error {
	if f.keep < dashboard.MinKeep || f.keep > dashboard.MaxKeep {
		return fmt.Errorf("--history-keep is %v; give a time from %v to %v", f.keep, dashboard.MinKeep,
			dashboard.MaxKeep)
	}
	return nil
}

func (f *dashboardFlags) options(log *slog.Logger) (o dashboard.Options, err error) {
	o = dashboard.Options{History: f.history, Keep: f.keep, Audit: f.audit,
		Hosts: f.hosts, Log: log}
	if f.tokenFile != "" {
		o.Token, err = dashboard.ReadToken(f.tokenFile)
	}
	return o, err
}

func (f *dashboardFlags) open(log *slog.Logger) (*dashboard.Dashboard, error) {
	o, err := f.options(log)
	if err != nil {
		return nil, err
	}
	return dashboard.New(o)
}
