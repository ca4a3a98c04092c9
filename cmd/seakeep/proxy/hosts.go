package proxy

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
)

// Hosts are the names, beside those that are always known, by which an admin
// address may be asked.
//
// A page of somebody else whose name is made to mean this machine (DNS rebinding)
// is of the same origin as what it asks here, as far as its browser can tell. But
// its requests still carry its name. So where an address can only be reached from
// this machine, a request must ask for an IP address, localhost, the machine's
// own name, or one of these. Elsewhere names are those of a network that we do not
// know, and are checked only if there are Hosts.
type Hosts []string

// maxShownHost is how much of a name an answer repeats.
const maxShownHost = 100

// Refuse returns why a request is not answered, or nothing.
func (h Hosts) Refuse(r *http.Request) string {
	if len(h) == 0 && !fromHere(r) {
		return ""
	}
	name := hostname(r.Host)
	if _, err := netip.ParseAddr(name); err == nil || name == "" || h.know(name) {
		return ""
	}
	name = fmt.Sprintf("%q", name[:min(len(name), maxShownHost)])
	return "nobody calls this address " + name + "; ask for localhost or an IP address, or start with " +
		"--admin-host and the name"
}

func (h Hosts) know(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	if own, err := os.Hostname(); err == nil && strings.EqualFold(own, name) {
		return true
	}
	for _, known := range h {
		if strings.EqualFold(strings.TrimSuffix(known, "."), name) {
			return true
		}
	}
	return false
}

// hostname is the name or address of a Host field, without a port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// fromHere reports whether a request came over an address of this machine alone.
// What has no address is taken to be local.
func fromHere(r *http.Request) bool {
	switch at := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr:
		return at.IP.IsLoopback()
	case nil:
		return true
	}
	return false
}

// Guard answers requests under unknown names with 421 Misdirected Request: as JSON
// below /api/, else as text.
func (h Hosts) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		why := h.Refuse(r)
		switch {
		case why == "":
			next.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/api/"):
			body, _ := json.Marshal(map[string]string{"error": why})
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(http.StatusMisdirectedRequest)
			_, _ = w.Write(append(body, '\n'))
		default:
			w.Header().Set("X-Content-Type-Options", "nosniff")
			say(w, http.StatusMisdirectedRequest, why)
		}
	})
}
