package top

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

const (
	maxLine = 16 << 20 // of a stream: a snapshot of a thousand dependencies is less
	// silence is how long a stream may say nothing. It tells a snapshot twice a
	// second, so something is wrong long before.
	silence  = 15 * time.Second
	tryAgain = time.Second
)

// direct reaches the address as it is: through no proxy of the environment, and to
// nowhere else.
var direct = &http.Client{Transport: &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// Get reads one snapshot.
func Get(ctx context.Context, base string) (*schema.Snapshot, error) {
	resp, err := ask(ctx, base+"/api/v1/snapshot", "")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	s := &schema.Snapshot{}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxLine)).Decode(s); err != nil {
		return nil, fmt.Errorf("what answers at %s is no dashboard: %w", base, err)
	}
	return s, fits(s)
}

func fits(s *schema.Snapshot) error {
	if s.Version != schema.Version {
		return fmt.Errorf("the dashboard speaks version %d and not %d; use the same release", s.Version,
			schema.Version)
	}
	return nil
}

func ask(ctx context.Context, address, last string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := direct.Do(req)
	if err != nil {
		return nil, fmt.Errorf("nobody answers at %s: %w", req.URL.Host, cause(err))
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s says %s; give the admin address of a proxy or of a demo", address, resp.Status)
	}
	return resp, nil
}

// cause leaves out the address, which whoever reads it knows.
func cause(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// news is one thing that a stream says.
type news struct {
	snapshot *schema.Snapshot
	event    *schema.Event
	lost     error // the connection has gone
}

// follow tells what a dashboard says until ctx ends, and connects again if it has
// to.
func follow(ctx context.Context, base string, tell func(news)) {
	last := ""
	for ctx.Err() == nil {
		err := once(ctx, base, &last, tell)
		if ctx.Err() != nil {
			return
		}
		tell(news{lost: err})
		select {
		case <-ctx.Done():
		case <-time.After(tryAgain):
		}
	}
}

var errSilent = errors.New("it says nothing any more")

func once(ctx context.Context, base string, last *string, tell func(news)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alarm := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer alarm.Stop()
	resp, err := ask(ctx, base+"/api/v1/events?hz=2&calls=0", *last)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxLine)
	kind, id := "", ""
	for lines.Scan() {
		alarm.Reset(silence)
		switch key, value, _ := strings.Cut(lines.Text(), ": "); key {
		case "event":
			kind = value
		case "id":
			id = value
		case "data":
			if err := said(kind, value, tell); err != nil {
				return err
			}
			if id != "" {
				*last, id = id, ""
			}
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if lines.Err() != nil {
		return lines.Err()
	}
	return errors.New("it has closed the connection")
}

func said(kind, data string, tell func(news)) error {
	switch kind {
	case "snapshot":
		s := &schema.Snapshot{}
		if err := json.Unmarshal([]byte(data), s); err != nil {
			return err
		}
		if err := fits(s); err != nil {
			return err
		}
		tell(news{snapshot: s})
	case "decision":
		e := &schema.Event{}
		if err := json.Unmarshal([]byte(data), e); err != nil {
			return err
		}
		tell(news{event: e})
	}
	return nil
}
