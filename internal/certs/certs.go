package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// lookEvery is how often files are looked at, at most.
const lookEvery = time.Second

// Files names what is read, in PEM. What is empty is not.
type Files struct {
	CA        string // authorities that are believed
	Cert, Key string // our own certificate with its chain, and its key
}

// Loaded is what is in use. It is never changed.
type Loaded struct {
	Roots       *x509.CertPool // nil: the system's
	Certificate *tls.Certificate
	Generation  int // rises by one with each change
}

// Store is certificates from files.
type Store struct {
	files  Files
	report func(error)

	mu     sync.Mutex
	now    *Loaded
	seen   [3]stamp  // of the files in use
	next   time.Time // when the files are looked at again
	failed string    // the mistake that was told last
}

// stamp is by what a file is known to have changed.
type stamp struct {
	at   time.Time
	size int64
}

// Open reads the files. report is told when they were read again: nil if what
// they hold is in use from now on, or else why it is not. A nil report tells
// nobody. It must not call the Store.
func Open(f Files, report func(error)) (*Store, error) {
	if report == nil {
		report = func(error) {}
	}
	s := &Store{files: f, report: report, seen: stamps(f)}
	loaded, err := load(f)
	if err != nil {
		return nil, err
	}
	s.now, s.next = loaded, time.Now().Add(lookEvery)
	return s, nil
}

// Get returns what is in use. If the files have changed they are read first.
func (s *Store) Get() *Loaded {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Before(s.next) {
		return s.now
	}
	s.next = now.Add(lookEvery)
	seen := stamps(s.files)
	if seen == s.seen {
		return s.now
	}
	loaded, err := load(s.files)
	if err != nil {
		if s.failed != err.Error() {
			s.failed = err.Error()
			s.report(err)
		}
		return s.now
	}
	loaded.Generation = s.now.Generation + 1
	s.now, s.seen, s.failed = loaded, seen, ""
	s.report(nil)
	return s.now
}

// Problem says why changed files are not in use; empty: there are none.
func (s *Store) Problem() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// stamps looks at the files. One that cannot be looked at has none.
func stamps(f Files) (all [3]stamp) {
	for i, name := range []string{f.CA, f.Cert, f.Key} {
		if info, err := os.Stat(name); name != "" && err == nil {
			all[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return all
}

var errNoCertificate = errors.New("holds no certificate in PEM")

// load reads the files.
func load(f Files) (*Loaded, error) {
	l := &Loaded{}
	if f.CA != "" {
		data, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, err
		}
		if l.Roots = x509.NewCertPool(); !l.Roots.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("%s %w", f.CA, errNoCertificate)
		}
	}
	if f.Cert != "" || f.Key != "" {
		pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
		if err != nil {
			return nil, fmt.Errorf("%s and %s: %w", f.Cert, f.Key, err)
		}
		l.Certificate = &pair
	}
	return l, nil
}
