package config

// ListenTLS says how a listener of the proxy speaks TLS. Its files are read
// again when they change.
type ListenTLS struct {
	Cert, Key  string // files of the certificate, with its chain, and of its key, in PEM
	ClientCA   string // file of the authorities of clients, who must then have a certificate; empty: none is asked for
	ClientName string // the header that tells who the client is by its certificate; empty: none
	MinVersion uint16 // tls.VersionTLS12 or tls.VersionTLS13

	places places // of its keys
}

// Fault is a mistake in one of the keys, cert, key or client-ca, that only shows
// when its file is read.
func (t *ListenTLS) Fault(key, problem, fix string) *Error { return t.places.fault(key, problem, fix) }

// places is where keys are in the file.
type places map[string]Error

func (p places) fault(key, problem, fix string) *Error {
	e := p[key]
	e.Problem, e.Fix = problem, fix
	return &e
}

// places remembers where those of some keys are that the section has.
func (o *object) places(keys ...string) places {
	p := places{}
	for _, key := range keys {
		if at := o.find(key); at != nil {
			p[key] = Error{File: at.d.file, Line: at.node.Line, Column: at.node.Column, Path: at.path}
		}
	}
	return p
}

// listenTLS reads how a listener speaks TLS; nil if it does not.
func (o *object) listenTLS(listen string) *ListenTLS {
	const example = "a section such as {cert: server.pem, key: server-key.pem}"
	f := o.find("listen-tls")
	if f == nil {
		return nil
	}
	if listen == "" && o.find("listen") == nil {
		f.failKey("nothing listens", "add listen, such as 127.0.0.1:8443")
	}
	s := o.section("listen-tls", example)
	defer s.close()
	v := &ListenTLS{MinVersion: versionTLS12, places: s.places("cert", "key", "client-ca")}
	s.require("cert", "the file of the certificate, such as server.pem")
	s.require("key", "the file of its key, such as server-key.pem")
	s.fileName("cert", &v.Cert, "none", "the file of the certificate, such as server.pem")
	s.fileName("key", &v.Key, "none", "the file of its key, such as server-key.pem")
	s.fileName("client-ca", &v.ClientCA, "none", "the file of an authority, such as clients.pem")
	s.headerName("client-name", &v.ClientName, "X-Client-Name")
	choose(s, "min-version", &v.MinVersion, tlsVersions...)
	if name := s.find("client-name"); name != nil && s.find("client-ca") == nil {
		name.fail("clients are not asked for a certificate", "add client-ca, or remove client-name")
	}
	return v
}
