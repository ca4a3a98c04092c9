package seakeephttp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seakeep/seakeep/internal/grpcstatus"
)

// What follows is as much of gRPC and of Protocol Buffers as grpc.health.v1
// needs: one request with a text, one answer with a number.
const (
	grpcCheck   = "/grpc.health.v1.Health/Check"
	grpcServing = 1       // HealthCheckResponse.ServingStatus
	grpcMost    = 4 << 10 // of an answer, whose one field takes two bytes
)

var (
	errNotGRPC  = errors.New("the answer is not gRPC")
	errProtobuf = errors.New("the answer is not a HealthCheckResponse")
)

// grpcAsker asks grpc.health.v1, over TLS or without.
type grpcAsker struct{ *httpAsker }

func (a *grpcAsker) ask(ctx context.Context, to *endpoint) error {
	req, err := a.request(ctx, to, http.MethodPost, grpcCheck)
	if err != nil {
		return err
	}
	message := healthRequest(a.cfg.Service)
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
	serving, err := healthStatus(body)
	if err != nil {
		return err
	}
	if serving != grpcServing {
		return fmt.Errorf("serving status %d", serving)
	}
	return nil
}

// healthRequest writes a HealthCheckRequest as a gRPC message: a byte that says
// that it is not compressed, its length, and the service as field 1.
func healthRequest(service string) []byte {
	var m []byte
	if service != "" {
		m = append(m, 1<<3|2)
		m = binary.AppendUvarint(m, uint64(len(service)))
		m = append(m, service...)
	}
	out := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(m)))
	return append(out, m...)
}

// healthStatus reads the status, which is field 1, out of a gRPC message with a
// HealthCheckResponse. Fields that it does not know it passes over, and of
// several the last counts, as Protocol Buffers have it.
func healthStatus(b []byte) (status uint64, err error) {
	if len(b) < 5 || b[0] != 0 || uint64(binary.BigEndian.Uint32(b[1:])) != uint64(len(b)-5) {
		return 0, errProtobuf
	}
	for b = b[5:]; len(b) > 0; {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 {
			return 0, errProtobuf
		}
		b = b[n:]
		value, size := uint64(0), 0
		switch tag & 7 {
		case 0:
			value, size = binary.Uvarint(b)
		case 1:
			size = 8
		case 2:
			length, n := binary.Uvarint(b)
			if n <= 0 || length > uint64(len(b)-n) {
				return 0, errProtobuf
			}
			size = n + int(length)
		case 5:
			size = 4
		}
		if size <= 0 || size > len(b) {
			return 0, errProtobuf
		}
		b = b[size:]
		if tag == 1<<3 {
			status = value
		}
	}
	return status, nil
}
