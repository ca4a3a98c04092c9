package proxy

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
)

// Files by which a dependency, or the program behind the door, is known, and that
// are wrong: a mistake of the policy file, with its place, at the start and in a
// reload, which then changes nothing.
func TestTLSMistakesOfEndpointsHaveTheirPlace(t *testing.T) {
	k, other := keep(t), keep(t)
	const endpoint = "https://127.0.0.1:1"
	for name, tc := range map[string]struct {
		text, key, problem string
	}{
		"no authority": {policy(endpoint, "tls: {ca: /nowhere.pem}"), "dependencies.dep.tls.ca", "cannot be read"},
		"no certificate": {policy(endpoint, "tls: {cert: /nowhere.pem, key: "+k.path("key.pem")+"}"),
			"dependencies.dep.tls.cert", "cannot be read"},
		"another's key": {policy(endpoint, "tls: {cert: "+k.path("cert.pem")+", key: "+other.path("key.pem")+"}"),
			"dependencies.dep.tls.key", "is not the key of"},
		"behind the door":   {door(endpoint, "upstream-tls: {ca: /nowhere.pem}"), "serve.upstream-tls.ca", "cannot be read"},
		"a key for a chain": {door(endpoint, "upstream-tls: {ca: "+k.path("key.pem")+"}"), "serve.upstream-tls.ca", "holds no certificate"},
	} {
		u := start(t, policy("http://127.0.0.1:1"))
		u.write(tc.text)
		_, opening := Open(u.path, Options{Log: u.log.logger()})
		for when, err := range map[string]error{"at the start": opening, "in a reload": u.Reload()} {
			var bad *config.Error
			if !errors.As(err, &bad) {
				t.Errorf("%s, %s: %v", name, when, err)
				continue
			}
			lines := strings.Split(tc.text, "\n")
			key := tc.key[strings.LastIndex(tc.key, ".")+1:] + ": "
			if bad.Path != tc.key || !strings.Contains(bad.Problem, tc.problem) || bad.Fix == "" ||
				!strings.HasPrefix(lines[bad.Line-1][bad.Column-1-len(key):], key) {
				t.Errorf("%s, %s: %v", name, when, err)
			}
		}
		if u.set.File().Dependency("dep").TLS != nil {
			t.Errorf("%s: the file is in use", name)
		}
	}
}

// A reload that has nothing to do with certificates does not ask whether their
// files are good at just that moment: what was read stays.
func TestTLSFilesThatHaveNotChangedInTheFile(t *testing.T) {
	k := keep(t)
	text := policy("https://127.0.0.1:1", "tls: {ca: "+k.path("cert.pem")+"}")
	u := start(t, text)
	if err := os.Remove(k.path("cert.pem")); err != nil {
		t.Fatal(err)
	}
	u.write("# a line above\n" + text + "    retry: {attempts: 2}\n")
	if err := u.Reload(); err != nil {
		t.Error(err)
	}
}
