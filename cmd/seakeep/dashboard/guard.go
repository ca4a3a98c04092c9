package dashboard

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
)

const (
	minToken = 16
	maxToken = 4096
	// replayWindow is how far an order's time may be from the clock. Its nonce is
	// known until that is so in any case.
	replayWindow = 2 * time.Minute
	maxNonces    = 4096
	// triesPer are the attempts a second that are judged and written down: of those
	// who may order, and as many of the others, who must not keep them from it.
	triesPer = 10
)

// ReadToken reads the token that levers need from a file: its first line.
func ReadToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("the dashboard's token: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	token := strings.TrimSpace(line)
	if len(token) < minToken || len(token) > maxToken || strings.ContainsAny(token, " \t") {
		return "", fmt.Errorf("the dashboard's token in %s: give one line of %d characters or more "+
			"without spaces, such as what \"openssl rand -hex 32\" prints", path, minToken)
	}
	return token, nil
}

// guard says whether an order may be carried out.
type guard struct {
	token *[sha256.Size]byte // nil: no order may

	mu     *sync.Mutex
	nonces map[string]time.Time // when they are forgotten
	second int64
	tries  [2]int // of the others, and of those who may order
}

func newGuard(token string) guard {
	g := guard{mu: &sync.Mutex{}, nonces: map[string]time.Time{}}
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		g.token = &sum
	}
	return g
}

func (g *guard) enabled() bool { return g.token != nil }

// busy reports whether there were too many attempts in this second: of those who
// may order, if stranger is nil, or of the others.
func (g *guard) busy(now time.Time, stranger *refusal) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := now.Unix(); s != g.second {
		g.second, g.tries = s, [2]int{}
	}
	kind := 0
	if stranger == nil {
		kind = 1
	}
	g.tries[kind]++
	return g.tries[kind] > triesPer
}

// refusal is why an order is not carried out.
type refusal struct {
	status int
	word   string // of the audit log
	text   string
}

func (r *refusal) Error() string { return r.text }

// ofHere refuses what a page of somebody else sends: a browser says where a
// request comes from, and a program does not.
func ofHere(r *http.Request, hosts proxy.Hosts) *refusal {
	if why := hosts.Refuse(r); why != "" {
		return &refusal{http.StatusMisdirectedRequest, "foreign-host", why}
	}
	foreign := &refusal{http.StatusForbidden, "foreign-origin", "orders are taken from this page, or from no page"}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return foreign
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return foreign
		}
	}
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) != "application/json" {
		return &refusal{http.StatusUnsupportedMediaType, "no-json", "send Content-Type: application/json"}
	}
	return nil
}

// known refuses who does not have the token. How long it takes says nothing of it.
func (g *guard) known(r *http.Request) *refusal {
	if g.token == nil {
		return &refusal{http.StatusForbidden, "no-levers",
			"levers are off; start with --dashboard-token-file to have them"}
	}
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	sum := sha256.Sum256([]byte(given))
	if !bearer || subtle.ConstantTimeCompare(sum[:], g.token[:]) != 1 {
		return &refusal{http.StatusUnauthorized, "no-token", "send Authorization: Bearer and the token"}
	}
	return nil
}

var errNonce = errors.New("nonce: give 16 to 64 characters that were not used before")

// once refuses an order that was seen before, or is too old to know.
func (g *guard) once(nonce string, atMS float64, now time.Time) *refusal {
	if len(nonce) < 16 || len(nonce) > 64 {
		return &refusal{http.StatusBadRequest, "no-nonce", errNonce.Error()}
	}
	if off := now.Sub(time.UnixMicro(int64(atMS * 1000))); !(off.Abs() <= replayWindow) {
		return &refusal{http.StatusConflict, "too-old", fmt.Sprintf("at_ms is not within %v of this "+
			"program's clock, which says %d", replayWindow, now.UnixMilli())}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for n, until := range g.nonces {
		if now.After(until) {
			delete(g.nonces, n)
		}
	}
	if _, seen := g.nonces[nonce]; seen {
		return &refusal{http.StatusConflict, "replayed", "this order was given before"}
	}
	if len(g.nonces) >= maxNonces {
		return &refusal{http.StatusTooManyRequests, "too-many", "too many orders; wait a little"}
	}
	g.nonces[nonce] = now.Add(2 * replayWindow)
	return nil
}
