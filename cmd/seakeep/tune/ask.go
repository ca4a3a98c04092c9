package tune

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// ask sends a request to where the figures are.
func ask(ctx context.Context, c *http.Client, to, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	resp, err := c.Do(req)
	if err == nil {
		return resp, nil
	}
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // without the query, which may be long
	}
	return nil, fmt.Errorf("nothing answers at %s: %w; is the address of --from right?", req.URL.Host, err)
}

// get reads an answer, up to a bound.
func get(ctx context.Context, c *http.Client, to, accept string) ([]byte, error) {
	resp, err := ask(ctx, c, to, accept)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := whole(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", to, err)
	}
	if resp.StatusCode != http.StatusOK && resp.Header.Get("Content-Type") != "application/json" {
		return nil, fmt.Errorf("%s answers %s", to, resp.Status)
	}
	return body, nil
}
