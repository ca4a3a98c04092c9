package seakeephttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seakeep/seakeep/internal/grpchealth"
	"github.com/seakeep/seakeep/internal/grpcstatus"
)

// grpcMost bounds an answer, whose one field takes two bytes.
const grpcMost = 4 << 10

var errNotGRPC = errors.New("the answer is not gRPC")

// grpcAsker asks grpc.health.v1, over TLS or without.
type grpcAsker struct{ *httpAsker }

func (a *grpcAsker) ask(ctx context.Context, to *endpoint) error {
	req, err := a.request(ctx, to, http.MethodPost, grpchealth.Check)
	if err != nil {
		return err
	}
	message := grpchealth.Request(a.cfg.Service)
	req.Body = io.NopCloser(bytes.NewReader(message))
	req.ContentLength = int64(len(message))
	req.Header.Set("Content-Type", grpcstatus.ContentType)
	req.Header.Set("Te", "trailers")
	resp, err := a.client.RoundTrip(req)
	if err != nil {
		return healthError(ctx, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, grpcMost))
	if err != nil {
		return healthError(ctx, err)
	}
	return healthAnswer(resp, body)
}

// healthAnswer judges an answer that was read.
func healthAnswer(resp *http.Response, body []byte) error {
	if resp.StatusCode != http.StatusOK {
		return statusError(resp.StatusCode)
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), grpcstatus.ContentType) {
		return errNotGRPC
	}
	status := resp.Trailer.Get("Grpc-Status")
	if status == "" {
		status = resp.Header.Get("Grpc-Status") // an answer without a message
	}
	if status != "0" {
		return fmt.Errorf("gRPC status %.20q", status)
	}
	serving, err := grpchealth.ParseResponse(body)
	if err != nil {
		return err
	}
	if serving != grpchealth.Serving {
		return fmt.Errorf("serving status %d", serving)
	}
	return nil
}
