package bolt

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/idempotency"
	"github.com/seakeep/seakeep/seakeephttp"
)

// The process that the crash test kills is this test's own program, started
// with these set.
const (
	childDir     = "SEAKEEP_TEST_CHILD_DIR"
	childResolve = "SEAKEEP_TEST_CHILD_RESOLVE"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := serveKeyedWrites(dir, os.Getenv(childResolve) != ""); err != nil {
			fmt.Println("error", err)
		}
		return
	}
	os.Exit(m.Run())
}

// books is an application whose writes are lines in a file: a key and a number
// that no other run has. A line is on the disk before its write is answered.
type books struct{ file *os.File }

func booksIn(dir string) (*books, error) {
	f, err := os.OpenFile(filepath.Join(dir, "books"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	return &books{f}, err
}

func receipt(key, run string) string { return fmt.Sprintf("receipt %s for %s", run, key) }

func (b *books) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var id [8]byte
	_, _ = rand.Read(id[:])
	key, run := string(body), hex.EncodeToString(id[:])
	pause(id[0]) // so that kills find every stretch of the way
	if _, err := b.file.WriteString(key + " " + run + "\n"); err != nil {
		panic(err)
	}
	if err := b.file.Sync(); err != nil {
		panic(err)
	}
	pause(id[1])
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, receipt(key, run))
}

// pause takes up to a millisecond.
func pause(b byte) { time.Sleep(time.Duration(b) * 4 * time.Microsecond) }

// look finds out whether a key's write is in the books.
func (b *books) look(_ *http.Request, key string, _ idempotency.Record) (*seakeephttp.KeyedAnswer, bool, error) {
	text, err := os.ReadFile(b.file.Name())
	if err != nil {
		return nil, false, err
	}
	for line := range strings.Lines(string(text)) {
		if k, run, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); k == key {
			return &seakeephttp.KeyedAnswer{Status: 201, Header: http.Header{"Content-Type": {"text/plain"}},
				Body: []byte(receipt(key, run))}, true, nil
		}
	}
	return nil, false, nil
}

// serveKeyedWrites serves until it is killed, or until its parent has died.
func serveKeyedWrites(dir string, resolve bool) error {
	store, err := Open(filepath.Join(dir, "keys.db"), idempotency.Config{})
	if err != nil {
		return err
	}
	app, err := booksIn(dir)
	if err != nil {
		return err
	}
	c := seakeephttp.IdempotencyConfig{Store: store, Required: true,
		Principal: func(*http.Request) string { return "" }}
	if resolve {
		c.Resolve = app.look
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	go func() {
		_, _ = io.Copy(new(bytes.Buffer), os.Stdin) // ends with the parent
		os.Exit(1)
	}()
	return http.Serve(l, seakeephttp.Idempotency(app, c))
}
