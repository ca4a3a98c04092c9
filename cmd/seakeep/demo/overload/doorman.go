package overload

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
	"github.com/seakeep/seakeep/config"
)

// doorman is the guard that this is all about: "seakeep proxy" with the serve
// section of a policy file.
type doorman struct {
	file string // in policies

	admin atomic.Value // its address, once started
}

// read returns the policy file, with the program at upstream behind it.
func (s *doorman) read(upstream string) (*config.File, error) {
	text, err := policyFile(s.file)
	if err != nil {
		return nil, err
	}
	f, err := config.Parse(s.file, text)
	if err != nil {
		return nil, err
	}
	if f.Serve == nil {
		return nil, errors.New(s.file + " has no serve section")
	}
	if upstream != "" {
		f.Serve.Upstream, err = url.Parse(upstream)
	}
	return f, err
}

// target returns the wait in the queue that the file calls good enough.
func (s *doorman) target() time.Duration {
	f, err := s.read("")
	if err != nil || f.Serve.Door.Slots == nil {
		return 0
	}
	return f.Serve.Door.Slots.Queue.Line.Target
}

func (s *doorman) start(upstream string) (string, func(), error) {
	f, err := s.read(upstream)
	if err != nil {
		return "", nil, err
	}
	set, err := seakeep.NewSet(f, seakeep.Options{})
	if err != nil {
		return "", nil, err
	}
	p, err := proxy.New(set, proxy.Options{Admin: "127.0.0.1:0", Grace: time.Second,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", nil, err
	}
	s.admin.Store("http://" + p.Addr("admin").String())
	return "http://" + p.Addr("serve").String(), live.Background(p.Run), nil
}

// admit is the operator's lever, pulled as "seakeep admit" does it: over the
// admin address.
func (s *doorman) admit(ctx context.Context, share float64, ramp time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	text, err := json.Marshal(proxy.AdmissionOrder{Share: &share, Ramp: ramp.String()})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost,
		fmt.Sprint(s.admin.Load(), "/v1/serve/admission"), bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Close = true // so that no connection is left
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return fmt.Errorf("the proxy says: %s", bytes.TrimSpace(answer))
	}
	return nil
}
