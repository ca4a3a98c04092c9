package config

// ListenTLS says how a listener of the proxy speaks TLS. Its files are read
// again when they change.
type ListenTLS struct {
	Cert, Key  string // files of the certificate, with its chain, and of its key, in PEM
	ClientCA   string // file of the authorities of clients, who must then have a certificate; empty: none is asked for
	ClientName string // the header that tells who the client is by its certificate; empty: none
	MinVersion uint16 // tls.VersionTLS12 or tls.VersionTLS13

	places map[string]Error // of its keys
}

// Fault is a mistake in one of the keys, cert, key or client-ca, that only shows
// when its file is read.
func (t *ListenTLS) Fault(key, problem, fix string) *Error {
	e := t.places[key]
	e.Problem, e.Fix = problem, fix
	return &e
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
	v := &ListenTLS{MinVersion: versionTLS12, places: map[string]Error{}}
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
	for _, key := range []string{"cert", "key", "client-ca"} {
		if at := s.find(key); at != nil {
			v.places[key] = Error{File: at.d.file, Line: at.node.Line, Column: at.node.Column, Path: at.path}
		}
	}
	return v
}
