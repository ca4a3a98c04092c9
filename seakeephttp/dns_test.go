package seakeephttp

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// nameServer is a DNS server on a real UDP socket, which knows what it is told.
type nameServer struct {
	conn net.PacketConn

	mu     sync.Mutex
	hosts  map[string][]netip.Addr
	srv    map[string][]net.SRV
	mute   bool // it does not answer
	broken bool // it answers with an error of its own
	asked  int
}

func newNameServer(t *testing.T) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{conn: conn, hosts: map[string][]netip.Addr{}, srv: map[string][]net.SRV{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply := s.reply(buf[:n]); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return s
}

// resolver is Go's own, asking this server only.
func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
}

// tell changes what the server knows of a host.
func (s *nameServer) tell(host string, addresses ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosts[host] = nil
	for _, a := range addresses {
		s.hosts[host] = append(s.hosts[host], netip.MustParseAddr(a))
	}
}

func (s *nameServer) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *nameServer) questions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// reply answers one question, RFC 1035 section 4.
func (s *nameServer) reply(q []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if len(q) < 12 || s.mute {
		return nil
	}
	var labels []string
	at := 12
	for at < len(q) && q[at] != 0 {
		end := at + 1 + int(q[at])
		labels = append(labels, string(q[at+1:end]))
		at = end
	}
	kind := binary.BigEndian.Uint16(q[at+1:])
	name := strings.ToLower(strings.Join(labels, "."))
	question := q[12 : at+5]
	var answers [][]byte
	for _, a := range s.hosts[name] {
		if kind == 1 && a.Is4() || kind == 28 && a.Is6() {
			answers = append(answers, a.AsSlice())
		}
	}
	if kind == 33 {
		for _, r := range s.srv[name] {
			data := binary.BigEndian.AppendUint16(nil, r.Priority)
			data = binary.BigEndian.AppendUint16(data, r.Weight)
			data = binary.BigEndian.AppendUint16(data, r.Port)
			for _, label := range strings.Split(strings.TrimSuffix(r.Target, "."), ".") {
				data = append(append(data, byte(len(label))), label...)
			}
			answers = append(answers, append(data, 0))
		}
	}
	flags := uint16(0x8580) // an answer, by authority
	if s.broken {
		flags |= 2
	} else if len(s.hosts[name]) == 0 && len(s.srv[name]) == 0 {
		flags |= 3 // no such name
	}
	out := append([]byte(nil), q[:2]...)
	for _, n := range []uint16{flags, 1, uint16(len(answers)), 0, 0} {
		out = binary.BigEndian.AppendUint16(out, n)
	}
	out = append(out, question...)
	for _, data := range answers {
		out = binary.BigEndian.AppendUint16(out, 0xc00c) // the name in the question
		out = binary.BigEndian.AppendUint16(out, kind)
		out = append(out, 0, 1, 0, 0, 0, 60)
		out = binary.BigEndian.AppendUint16(out, uint16(len(data)))
		out = append(out, data...)
	}
	return out
}

// book is a resolver that answers from memory.
type book struct {
	mu    sync.Mutex
	hosts []string
	err   error
	asked int
	block chan struct{}
}

func (b *book) set(err error, hosts ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hosts, b.err = hosts, err
}

func (b *book) LookupNetIP(ctx context.Context, _, _ string) (all []netip.Addr, err error) {
	if b.block != nil {
		select {
		case <-b.block:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	for _, h := range b.hosts {
		all = append(all, netip.MustParseAddr(h))
	}
	return all, b.err
}

func (b *book) LookupSRV(context.Context, string, string, string) (string, []*net.SRV, error) {
	return "", nil, errors.New("not asked here")
}
