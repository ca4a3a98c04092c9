package seakeepredis

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
)

// A client whose own settings would break the policy's limits is refused.
func TestProtectRefuses(t *testing.T) {
	set := policies(t, "{timeout: {connect: 70ms, acquire: 15ms, request: 20ms}, bulkhead: {limit: 300}}")
	for _, c := range []struct {
		o    redis.Options
		want string
	}{
		{redis.Options{ContextTimeoutEnabled: true}, "MaxRetries"},
		{redis.Options{MaxRetries: -1}, "ContextTimeoutEnabled"},
		{redis.Options{MaxRetries: -1, ContextTimeoutEnabled: true}, ""},
	} {
		client := redis.NewClient(&c.o)
		_, err := Protect(set, "cache", client, Cache)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
		_ = client.Close()
	}
	if _, _, err := NewClient(set, "nobody", &redis.Options{}, Cache); err == nil {
		t.Error("nobody was found")
	}
	given := redis.Options{Addr: "127.0.0.1:1", MaxRetries: 7}
	client, h, err := NewClient(set, "cache", &given, Cache)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	o := client.Options()
	if o.MaxRetries != 0 || o.DialTimeout != 70*ms || o.PoolTimeout != 15*ms || o.PoolSize != 300 ||
		h.connect != 70*ms || given.MaxRetries != 7 {
		t.Errorf("%+v", o)
	}
	cluster := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"127.0.0.1:1"}, ContextTimeoutEnabled: true})
	defer cluster.Close()
	if _, err := Wrap(set.MustPolicy("cache"), cluster, Store); err != nil {
		t.Errorf("a cluster: %v", err)
	}
	if _, err := Wrap(set.MustPolicy("cache"), struct{ redis.UniversalClient }{client}, Store); err == nil {
		t.Error("a client that cannot be seen into was taken")
	}
}

// TestPageOpens reads the policy file of docs/redis.md.
func TestPageOpens(t *testing.T) {
	page, err := os.ReadFile("../../docs/redis.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	file, err := config.Parse("docs/redis.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set, err := seakeep.NewSet(file, seakeep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]Mode{"sessions-cache": Cache, "carts": Store} {
		client, h, err := NewClient(set, name, &redis.Options{}, m)
		if err != nil {
			t.Fatal(err)
		}
		if got := limit(h.policy.Plan().Config()); m == Cache && got != 20*time.Millisecond {
			t.Errorf("%s: %v", name, got)
		}
		_ = client.Close()
	}
}
