package certs

import (
	"crypto/x509"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/internal/certtest"
)

// look makes a store look at its files now.
func look(s *Store) *Loaded {
	s.mu.Lock()
	s.next = time.Time{}
	s.mu.Unlock()
	return s.Get()
}

func nameOf(t *testing.T, l *Loaded) string {
	t.Helper()
	c, err := x509.ParseCertificate(l.Certificate.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return c.Subject.CommonName
}

func TestFilesAreReadAgain(t *testing.T) {
	dir := t.TempDir()
	ca := certtest.New(t, "ca")
	cert, key := ca.Issue("first")
	f := Files{CA: certtest.Write(t, dir, "ca.pem", ca.PEM),
		Cert: certtest.Write(t, dir, "cert.pem", cert), Key: certtest.Write(t, dir, "key.pem", key)}
	var reports []error
	s, err := Open(f, func(err error) { reports = append(reports, err) })
	if err != nil {
		t.Fatal(err)
	}
	if l := look(s); nameOf(t, l) != "first" || l.Roots == nil || l.Generation != 0 || len(reports) != 0 {
		t.Fatalf("%+v, %v", l, reports)
	}

	// The certificate is new and the key is not yet: what was in use stays, and
	// that is told once.
	cert, key = ca.Issue("second, with a longer name")
	certtest.Write(t, dir, "cert.pem", cert)
	for range 3 {
		if l := look(s); nameOf(t, l) != "first" {
			t.Error(nameOf(t, l))
		}
	}
	if len(reports) != 1 || reports[0] == nil || !strings.Contains(s.Problem(), "cert.pem") {
		t.Errorf("%v, %q", reports, s.Problem())
	}
	certtest.Write(t, dir, "key.pem", key)
	if l := look(s); nameOf(t, l) != "second, with a longer name" || l.Generation != 1 {
		t.Errorf("%s, %d", nameOf(t, l), l.Generation)
	}
	if len(reports) != 2 || reports[1] != nil || s.Problem() != "" {
		t.Errorf("%v, %q", reports, s.Problem())
	}

	// Gone, and back.
	if err := os.Remove(f.CA); err != nil {
		t.Fatal(err)
	}
	if l := look(s); l.Generation != 1 || len(reports) != 3 || !os.IsNotExist(reports[2]) {
		t.Errorf("%+v, %v", l, reports)
	}
	certtest.Write(t, dir, "ca.pem", []byte("no certificate at all"))
	if l := look(s); l.Generation != 1 || len(reports) != 4 {
		t.Errorf("%+v, %v", l, reports)
	}
	certtest.Write(t, dir, "ca.pem", ca.PEM)
	if l := look(s); l.Generation != 2 || len(reports) != 5 || reports[4] != nil {
		t.Errorf("%+v, %v", l, reports)
	}
}

// Files are looked at once a second at most.
func TestFilesAreNotReadAllTheTime(t *testing.T) {
	dir := t.TempDir()
	ca := certtest.New(t, "ca")
	path := certtest.Write(t, dir, "ca.pem", ca.PEM)
	s, err := Open(Files{CA: path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	certtest.Write(t, dir, "ca.pem", append(certtest.New(t, "other").PEM, ca.PEM...))
	if l := s.Get(); l.Generation != 0 {
		t.Error("it was looked at at once")
	}
	s.mu.Lock()
	s.next = time.Now().Add(-time.Millisecond)
	s.mu.Unlock()
	if l := s.Get(); l.Generation != 1 || l.Certificate != nil {
		t.Errorf("%+v", l)
	}
}

func TestOpenOfWhatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	ca := certtest.New(t, "ca")
	cert, _ := ca.Issue("a")
	_, key := ca.Issue("b")
	for _, f := range []Files{
		{CA: dir + "/none.pem"},
		{CA: certtest.Write(t, dir, "empty.pem", nil)},
		{Cert: certtest.Write(t, dir, "a.pem", cert), Key: certtest.Write(t, dir, "b.pem", key)},
		{Cert: dir + "/a.pem"},
	} {
		if s, err := Open(f, nil); err == nil || s != nil {
			t.Errorf("%+v: %v, %v", f, s, err)
		}
	}
}
