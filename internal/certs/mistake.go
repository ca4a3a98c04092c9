package certs

import (
	"os"
	"strings"
)

// Mistake tells which file an error of Open is about, "ca", "cert" or "key", what is
// wrong with it, and how to mend that.
func (f Files) Mistake(err error) (which, problem, fix string) {
	for _, one := range []struct{ which, name string }{{"ca", f.CA}, {"cert", f.Cert}, {"key", f.Key}} {
		if one.name == "" {
			continue
		}
		if _, err := os.ReadFile(one.name); err != nil {
			return one.which, "the file cannot be read: " + err.Error(),
				"give a file in PEM, relative to where the program runs"
		}
	}
	switch text := err.Error(); {
	case f.CA != "" && strings.HasPrefix(text, f.CA+" "):
		return "ca", text, "give the certificates of authorities, in PEM"
	case strings.Contains(text, "does not match"):
		return "key", f.Key + " is not the key of " + f.Cert, "give the key that belongs to cert"
	case strings.Contains(text, "certificate") && !strings.Contains(text, "rather than a key"):
		return "cert", text, "give a certificate in PEM, with its chain behind it"
	default:
		return "key", text, "give the key that belongs to cert, in PEM and without a password"
	}
}
