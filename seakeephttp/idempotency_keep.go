package seakeephttp

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/idempotency"
	"github.com/seakeep/seakeep/internal/problem"
)

// keeper is the handler that Idempotency returns.
type keeper struct {
	IdempotencyConfig
	next http.Handler
	runs *runNames
}

// keyed is one request with a key, on its way.
type keyed struct {
	*keeper
	key   string // the client's
	claim idempotency.Claim
	body  []byte
}

// longestPath is how much of a path people are told of in a record's name.
const longestPath = 200

// wallNow is the time of stores, which may outlive the process.
func wallNow() core.Instant { return core.Instant(time.Now().UnixNano()) }

// ServeHTTP implements http.Handler.
func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !slices.Contains(k.Methods, r.Method) {
		k.next.ServeHTTP(w, r)
		return
	}
	key, reason := idempotency.ParseKey(r.Header.Values(keyHeader))
	if reason == core.KeyMissing && !k.Required {
		k.next.ServeHTTP(w, r)
		return
	}
	x := &keyed{keeper: k, key: key}
	path := r.URL.EscapedPath()
	x.claim.Name = r.Method + " " + path[:min(len(path), longestPath)] + " " + key
	if reason != core.NoReason {
		x.refuse(w, r, refusalFor(reason))
		return
	}
	if no := x.read(w, r); no != nil {
		x.refuse(w, r, *no)
		return
	}
	if r.Context().Err() != nil {
		return // nothing has begun, and nobody is there to hear of it
	}
	x.identify(r)
	x.admit(w, r)
}

// admit asks the store, and does what it says.
func (x *keyed) admit(w http.ResponseWriter, r *http.Request) {
	found, reason, err := x.Store.Admit(wallNow(), x.claim)
	if err == nil && reason == core.KeyUnknown && x.Resolve != nil {
		found, reason, err = x.resolve(r, found)
	}
	switch {
	case err != nil:
		x.refuse(w, r, storeFailed)
	case reason == core.NoReason:
		x.run(w, r)
	case reason == core.KeyReplayed:
		answer, ok := decodeAnswer(found.Answer)
		if !ok {
			x.refuse(w, r, refusalFor(core.KeyNotStored))
			return
		}
		x.tell(reason, "")
		answer.replay(w, r.Method)
	default:
		x.refuse(w, r, refusalFor(reason))
	}
}

// resolve asks the application about a write of which nobody knows how it
// ended, and then the store again.
func (x *keyed) resolve(r *http.Request, found idempotency.Record) (idempotency.Record, core.Reason, error) {
	answer, ran, err := x.Resolve(x.again(r.Context(), r), x.key, found)
	switch {
	case err != nil:
		return found, core.KeyUnknown, nil
	case !ran:
		x.claim.Instead = found.Owner
	default:
		end := idempotency.Ending{State: idempotency.NotStored}
		if answer != nil {
			end = idempotency.Ending{State: idempotency.Done, Answer: answer.encode()}
		}
		if _, err := x.Store.Report(wallNow(), found.Claim, end); err != nil {
			return found, core.NoReason, err
		}
	}
	return x.Store.Admit(wallNow(), x.claim)
}

// read takes the request's body into memory, or says why not.
func (x *keyed) read(w http.ResponseWriter, r *http.Request) *refusal {
	if r.ContentLength > x.Limits.Body {
		return &bodyTooLarge
	}
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	var buf bytes.Buffer
	buf.Grow(int(max(r.ContentLength, 0)) + bytes.MinRead)
	_, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, x.Limits.Body))
	if err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return &bodyTooLarge
		}
		return &bodyCut
	}
	x.body = buf.Bytes()
	return nil
}

// again returns the request with its body to be read from the start.
func (x *keyed) again(ctx context.Context, r *http.Request) *http.Request {
	r = r.WithContext(ctx)
	if len(r.Trailer) == 0 { // otherwise its framing has to stay
		r.TransferEncoding, r.ContentLength = nil, int64(len(x.body))
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	r.Body, _ = r.GetBody()
	if len(x.body) == 0 {
		r.Body = http.NoBody
	}
	return r
}

// identify fills in what tells the request from others. Changing what goes
// into a hash makes every key that is kept somewhere a stranger.
func (x *keyed) identify(r *http.Request) {
	path := r.URL.EscapedPath()
	scope := hashOf(x.Principal(r), r.Method, path, x.key)
	x.claim.Key = hex.EncodeToString(scope[:])
	x.claim.Fingerprint = hashOf(r.Method, path, r.URL.RawQuery,
		r.Header.Get("Content-Type"), string(x.body))
	x.claim.Owner = x.runs.next()
}

// hashOf hashes texts so that no two lists of them give the same.
func hashOf(texts ...string) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, text := range texts {
		writeText(h, text)
	}
	h.Sum(sum[:0])
	return sum
}

func writeText(h hash.Hash, text string) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(text)))
	h.Write(length[:])
	_, _ = io.WriteString(h, text)
}

// runNames names runs, so that no two have the same name, here or elsewhere.
type runNames struct {
	process string
	count   atomic.Uint64
}

func newRunNames() *runNames {
	var id [12]byte
	_, _ = rand.Read(id[:]) // cannot fail
	return &runNames{process: hex.EncodeToString(id[:])}
}

func (n *runNames) next() string {
	return n.process + "-" + strconv.FormatUint(n.count.Add(1), 36)
}

// refusal is an answer of our own.
type refusal struct {
	status  int
	reason  core.Reason // NoReason: word says it alone
	word    string
	detail  string
	after   time.Duration
	noRetry bool
}

var refusals = map[core.Reason]refusal{
	core.KeyMissing: {status: 400, detail: "This request must have an Idempotency-Key field, " +
		"so that it can be repeated safely."},
	core.KeyInvalid: {status: 400, detail: "The Idempotency-Key field must be sent once and hold " +
		"1 to 255 visible ASCII characters, best in quotes."},
	core.KeyBusy: {status: 409, after: time.Second, detail: "A request with this Idempotency-Key " +
		"is running. Repeat this one later to get its answer."},
	core.KeyReused: {status: 422, noRetry: true, detail: "This Idempotency-Key belongs to a different " +
		"request. Repeat that one as it was, or take a new key."},
	core.KeyUnknown: {status: 409, noRetry: true, detail: "A request with this Idempotency-Key was " +
		"begun, and nobody knows whether it was done. It is not run again on a guess."},
	core.KeyNotStored: {status: 409, noRetry: true, detail: "A request with this Idempotency-Key was " +
		"done, and its answer could not be kept. It is not run again."},
	core.KeysExhausted: {status: 503, after: time.Second, detail: "There is no room for another " +
		"Idempotency-Key, and the request is not run without. Nothing was done."},
}

var (
	storeFailed = refusal{status: 503, after: time.Second, word: "key-store-failed", detail: "Idempotency " +
		"keys cannot be stored at the moment, and the request is not run without. Nothing was done."}
	bodyTooLarge = refusal{status: 413, noRetry: true, word: "body-too-large", detail: "The body is larger than " +
		"a request with an Idempotency-Key may have. Nothing was done."}
	bodyCut = refusal{status: 400, word: "body-incomplete", detail: "The body did not arrive to its end. " +
		"Nothing was done."}
)

// refusalFor returns the answer for a reason of the key's record.
func refusalFor(reason core.Reason) refusal {
	no := refusals[reason]
	no.reason, no.word = reason, reason.String()
	return no
}

func (x *keyed) refuse(w http.ResponseWriter, r *http.Request, no refusal) {
	x.tell(no.reason, no.word)
	p := problem.Problem{Status: no.status, Detail: no.detail, Error: problem.RequestError,
		Policy: "idempotency", Reason: no.word, Attempts: -1, RetryAfter: no.after, NoRetry: no.noRetry}
	if no.status == http.StatusServiceUnavailable {
		p.Error = problem.RequestDenied
	}
	problem.WriteFor(w, r, p)
}

func (x *keyed) tell(reason core.Reason, detail string) {
	if x.Observer == nil {
		return
	}
	x.Observer.Observe(core.Event{At: seakeep.Now(), Kind: core.RequestRefused, Reason: reason,
		Policy: "idempotency", Key: x.claim.Name, Detail: detail})
}
