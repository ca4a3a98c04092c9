//go:build unix

package proxy

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

// names is a DNS server on a real UDP socket, which knows one name.
type names struct {
	conn net.PacketConn
	name string

	mu        sync.Mutex
	addresses []netip.Addr
}

// answerNames makes a server the one that this process asks.
func answerNames(t *testing.T, name string) *names {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &names{conn: conn, name: name}
	var wg sync.WaitGroup
	wg.Go(func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(s.reply(buf[:n]), from)
		}
	})
	old := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	t.Cleanup(func() {
		net.DefaultResolver = old
		_ = conn.Close()
		wg.Wait()
	})
	return s
}

func (s *names) tell(all []*replica) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addresses = nil
	for _, r := range all {
		s.addresses = append(s.addresses, netip.MustParseAddrPort(r.address).Addr())
	}
}

// reply answers one question with IPv4 addresses, RFC 1035 section 4.
func (s *names) reply(q []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	var asked strings.Builder
	at := 12
	for q[at] != 0 {
		next := at + 1 + int(q[at])
		asked.Write(append(q[at+1:next:next], '.'))
		at = next
	}
	kind, flags, addresses := binary.BigEndian.Uint16(q[at+1:]), uint16(0x8580), s.addresses
	if asked.String() != s.name+"." {
		flags |= 3 // no such name
	}
	if kind != 1 || flags&3 != 0 {
		addresses = nil
	}
	out := append([]byte(nil), q[:2]...)
	for _, n := range []uint16{flags, 1, uint16(len(addresses)), 0, 0} {
		out = binary.BigEndian.AppendUint16(out, n)
	}
	out = append(out, q[12:at+5]...)
	for _, a := range addresses {
		// The name is that of the question; 60s to live, four bytes.
		out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4)
		out = append(out, a.AsSlice()...)
	}
	return out
}

// TestDNSChangeMovesTraffic: under load, a name changes from three replicas to
// three others. Not one request fails, although nothing is ever retried: what
// is under way at the old ones ends there, nothing new is sent to them, and as
// soon as they are gone from the list they can be killed.
func TestDNSChangeMovesTraffic(t *testing.T) {
	all := sixReplicas(t)
	old := map[string]bool{}
	for _, r := range all[:3] {
		old[r.address] = true
	}
	_, port, _ := net.SplitHostPort(all[0].address)
	s := answerNames(t, "replicas.test")
	s.tell(all[:3])
	u := start(t, strings.Replace(policy("HERE"), "[HERE]",
		"{dns: 'replicas.test:"+port+"', type: A, every: 1s}", 1))
	w := watchEndpoints(u)
	w.end()
	b := startBarrage(u, 200, func(n int) *http.Request {
		if n%20 == 0 { // some are always under way
			return u.request(n, "?work=800ms")
		}
		return u.request(n, "")
	})
	until(t, "the first three to serve", func() bool { return b.served(all[:3]) > 50 })
	s.tell(all[3:])
	until(t, "the first three to drain", func() bool { return w.draining(old) })
	drained := time.Now()
	until(t, "the first three to be gone", func() bool { return w.upAre(all[3:]) })
	gone := time.Now()
	for _, r := range all[:3] {
		r.kill()
	}
	until(t, "the others to serve", func() bool { return b.served(all[3:]) > 50 })
	b.end()
	for _, l := range b.lost {
		t.Errorf("lost: %s", l.what)
	}
	late := 0
	for _, a := range b.all {
		if old[a.by] && a.began.After(drained) {
			t.Errorf("a request was sent to %s while it drained", a.by)
		}
		if old[a.by] && a.ended.After(drained) {
			late++
		}
	}
	if late == 0 {
		t.Error("nothing was under way at the old ones")
	}
	t.Logf("%d requests, %d lost; %d ended at the old ones, which took %v to be done", len(b.all), len(b.lost), late,
		gone.Sub(drained).Round(time.Millisecond))
}

// sixReplicas are at six addresses with one port.
func sixReplicas(t *testing.T) []*replica {
	_, port, _ := net.SplitHostPort(freeAddress(t, "127.0.2.1"))
	var all []*replica
	for i := range 6 {
		all = append(all, newReplica(t, fmt.Sprintf("127.0.2.%d:%s", i+1, port)))
	}
	return all
}
