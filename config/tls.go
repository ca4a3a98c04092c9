package config

import (
	"cmp"
	"regexp"
)

// The versions as crypto/tls numbers them. That package would add a sixth to what
// a browser has to load for the engine that reads policy files.
const (
	versionTLS12 uint16 = 0x0303
	versionTLS13 uint16 = 0x0304
)

// TLS says how endpoints of https are known, and how they know us. Its files
// are read again when they change.
type TLS struct {
	CA         string // file of the authorities that are believed; empty: the system's
	Cert, Key  string // files of our certificate and its key, in PEM; empty: none
	ServerName string // the name that the server's certificate must have; empty: the endpoint's
	MinVersion uint16 // tls.VersionTLS12 or tls.VersionTLS13
	// Insecure switches verification off: anybody in between can read and
	// change everything.
	Insecure bool

	places *places // of its keys; nil: it came from no file
}

// Fault is a mistake in one of the keys, ca, cert or key, that only shows when its
// file is read; nil if the settings came from no file.
func (t *TLS) Fault(key, problem, fix string) *Error {
	if t.places == nil {
		return nil
	}
	return t.places.fault(key, problem, fix)
}

// Settings returns what it says without where it does, so that two can be compared.
func (t TLS) Settings() TLS {
	t.places = nil
	return t
}

var tlsVersions = []option[uint16]{{"tls1.2", versionTLS12}, {"tls1.3", versionTLS13}}

var serverNameForm = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$`)

// tls reads how TLS is spoken; nil if the file does not say.
func (o *object) tls(key string) *TLS {
	f := o.find(key)
	if f == nil {
		return nil
	}
	s := o.section(key, "a section such as {ca: ca.pem}")
	defer s.close()
	at := s.places("ca", "cert", "key")
	v := &TLS{MinVersion: versionTLS12, places: &at}
	s.fileName("ca", &v.CA, "the system's", "the file of an authority, such as ca.pem")
	s.fileName("cert", &v.Cert, "none", "the file of our certificate, such as client.pem")
	s.fileName("key", &v.Key, "none", "the file of its key, such as client-key.pem")
	name := s.text("server-name", &v.ServerName, serverNameForm, "a name such as api.example")
	s.note("server-name", name, cmp.Or(v.ServerName, "the endpoint's"))
	choose(s, "min-version", &v.MinVersion, tlsVersions...)
	s.boolean("insecure-skip-verify", &v.Insecure)
	cert, private := s.find("cert"), s.find("key")
	switch {
	case cert != nil && private == nil:
		cert.fail("a certificate without a key", "add key, the file of its key")
	case private != nil && cert == nil:
		private.fail("a key without a certificate", "add cert, the file of the certificate")
	}
	if v.Insecure && s.find("ca") != nil {
		s.find("insecure-skip-verify").fail("no certificate is verified, so that ca has no meaning",
			"remove one of them")
	}
	return v
}

// endpointsTLS reads how TLS is spoken with a dependency.
func (o *object) endpointsTLS(dep *Dependency) {
	dep.TLS = o.tls("tls")
	if dep.TLS != nil && dep.placed() && !dep.has("https") {
		o.find("tls").failKey("no endpoint is of https", "give endpoints of https, or remove tls")
	}
}

// placed reports whether the file says where the dependency is.
func (d *Dependency) placed() bool { return d.Resolve != nil || len(d.Endpoints) > 0 }

// warnInsecure warns that servers are not verified.
func (o *object) warnInsecure(key string, t *TLS) {
	if t != nil && t.Insecure && o.d.failures == 0 {
		o.warn([]string{key + ".insecure-skip-verify"},
			"NO CERTIFICATE IS VERIFIED: whoever is in between can read and change everything",
			"give ca, the file of the authority that signs the servers' certificates")
	}
}

// fileName reads the name of a file. Whether it is there is seen when it is used.
func (o *object) fileName(key string, out *string, none, want string) {
	f := o.text(key, out, nil, want)
	if f.is("") && f.node.ShortTag() == "!!str" {
		f.fail(`"" is not a file`, "give "+want)
	}
	o.note(key, f, cmp.Or(*out, none))
}
