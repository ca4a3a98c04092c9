package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard"
)

const labLong = `Serves the page "Try it": one slow dependency, two hundred threads, and a switch for
each protection. The page simulates in the browser and sends nothing anywhere.
Ctrl-C ends it.`

func newLabCommand() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:     "lab",
		Short:   "Try protections on a page that simulates them",
		Long:    labLong,
		Example: "  seakeep lab\n  seakeep lab --listen 0.0.0.0:8080",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return lab(ctx, listen, dashboard.Assets(), cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8091", "`address` to serve it at")
	return c
}

const (
	labPage = "try.html"
	// labContent lets the page load what is here and nothing else, and run the
	// engine.
	labContent = "default-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; " +
		"form-action 'none'; frame-ancestors 'none'"
	labPatience = 10 * time.Second // with a client that is slow to ask, and with the end
)

// lab serves the page until ctx ends.
func lab(ctx context.Context, listen string, files fs.FS, out io.Writer) error {
	handler, err := labHandler(files)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w; give a HOST:PORT that is free, such as 127.0.0.1:0", listen, err)
	}
	fmt.Fprintf(out, "Try it: http://%s/\n", l.Addr())
	s := &http.Server{Handler: handler, ReadHeaderTimeout: labPatience, IdleTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err = <-failed:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), labPatience)
	defer cancel()
	err = s.Shutdown(end)
	<-failed
	return err
}

// labHandler serves the page at the root, and only there: at try.html it would show
// the way to a wall, which is not here.
func labHandler(files fs.FS) (http.Handler, error) {
	if _, err := fs.Stat(files, labPage); err != nil {
		return nil, errors.New("this seakeep was built without the page; where Node.js is, " +
			"make build builds it in")
	}
	all := dashboard.Files(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", labContent)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "there is nothing to send here", http.StatusMethodNotAllowed)
			return
		}
		switch path.Clean("/" + r.URL.Path) {
		case "/index.html", "/" + labPage:
			http.Redirect(w, r, "/", http.StatusFound)
			return
		case "/":
			r = r.Clone(r.Context())
			r.URL.Path = "/" + labPage
		}
		all.ServeHTTP(w, r)
	}), nil
}
