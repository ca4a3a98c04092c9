package overload

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/seakeephttp"
)

// throughDoor is the guard of a policy file without sockets: the same door, as
// a handler around the program.
func throughDoor(t *testing.T, file string) inside {
	t.Helper()
	return func(next http.Handler) http.Handler {
		f, err := (&doorman{file: file}).read("")
		if err != nil {
			t.Fatal(err)
		}
		set, err := seakeep.NewSet(f, seakeep.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := seakeephttp.Handler(set, next)
		if err != nil {
			t.Fatal(err)
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.RemoteAddr = "127.0.0.1:1" // whom the files trust
			h.ServeHTTP(w, r)
		})
	}
}

// All that the demo of overload promises holds behind the door of its policy
// file, in virtual time: the same door as on sockets, on a machine that is
// never busy.
func TestPromisesHoldBehindTheDoor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Defaults()
		o.guard = throughDoor(t, "overload.yaml")
		r := swept(t, o)
		for _, h := range r.Holds {
			if !h.Held {
				t.Errorf("%s: %s", h.Promise, h.Why)
			}
		}
		if len(r.Holds) != 5 {
			t.Errorf("%d promises", len(r.Holds))
		}
		for i := range r.Protected[:2] {
			if p := r.Protected[i]; p.Goodput != p.Offered {
				t.Errorf("at %gx only %v of %v/s are served", p.Load, p.Goodput, p.Offered)
			}
		}
	})
}

func TestTenantPromisesHoldBehindTheDoor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := TenantDefaults()
		o.guard = throughDoor(t, "tenants.yaml")
		r := flooded(t, o)
		if !r.Held() || len(r.Holds) != 3 {
			t.Errorf("%+v", r.Holds)
		}
	})
}

// Behind a limit that is none the program goes down as it does bare, and comes
// back by itself; behind a short queue it never goes down. The simulator says
// the same of both, to within some seconds.
func TestVariantsBehindTheDoor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := MetastableDefaults()
		o.variants = o.variants[1:3]
		r := newMetastableReport(o)
		for _, v := range o.variants {
			v.guard = throughDoor(t, v.guard.(*doorman).file)
			one := o
			one.open = inMemory
			out, err := one.scene(v).play(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r.add(v, out, nil)
		}
		if err := r.Predict(); err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Variants {
			p := v.Predicted
			if v.down() || (v.Collapse == nil) != (p.Collapse == nil) ||
				v.Collapse != nil && (*v.Collapse != *p.Collapse || *v.Recovery > *p.Recovery+10 ||
					*p.Recovery > *v.Recovery+10) {
				t.Errorf("%s %s; simulated, it %s", v.Name, v.story(), p.story())
			}
		}
		if r.Variants[0].Collapse != nil || r.Variants[1].Collapse == nil {
			t.Errorf("%s, %s", r.Variants[0].story(), r.Variants[1].story())
		}
	})
}

// On sockets: requests pass, orders over the admin address arrive, and nothing
// is left afterwards.
func TestDoormanOnSockets(t *testing.T) {
	for demo, files := range policyFiles {
		for _, file := range files {
			d := &doorman{file: file}
			if demo != "metastable" && (d.target() <= 0 || d.target() > 100*ms) {
				t.Errorf("%s: the queue's target is %v", file, d.target())
			}
			p, err := onSockets(newApp(seakeep.Now(), fixed(4, ms), 1), d)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			if f := ask(ctx, p, &guest{user: "a", tenant: "b"}, 0); f != served {
				t.Errorf("%s: the answer is %d", file, f)
			}
			if err := d.admit(ctx, 0, 0); err != nil {
				t.Error(err)
			}
			if f := ask(ctx, p, &guest{user: "a", tenant: "b"}, 0); f != refused {
				t.Errorf("%s: with nobody to be let in the answer is %d", file, f)
			}
			if err := d.admit(ctx, 2, 0); err == nil || !contains(err.Error(), "the proxy says") {
				t.Errorf("%s: %v", file, err)
			}
			cancel()
			p.stop()
		}
	}
	if err := (&doorman{file: "gone.yaml"}).admit(t.Context(), 1, 0); err == nil {
		t.Error("an order without a proxy arrives")
	}
	if _, _, err := (&doorman{file: "gone.yaml"}).start("http://127.0.0.1:1"); err == nil {
		t.Error("a file that is not there starts")
	}
}

// Every policy file is one that "seakeep validate" takes, without a warning.
func TestPolicyFiles(t *testing.T) {
	entries, err := policies.ReadDir("policies")
	if err != nil {
		t.Fatal(err)
	}
	printed := 0
	for demo, names := range policyFiles {
		printed += len(names)
		if err := WritePolicies(io.Discard, demo); err != nil {
			t.Error(err)
		}
	}
	if printed != len(entries) {
		t.Errorf("%d of %d files are printed", printed, len(entries))
	}
	for _, e := range entries {
		f, err := (&doorman{file: e.Name()}).read("")
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range f.Warnings() {
			t.Errorf("%s: %v", e.Name(), w)
		}
	}
	if err := WritePolicies(io.Discard, "none"); err == nil {
		t.Error("there is a demo called none")
	}
}
