package seakeephttp

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/balance"
)

// Resolver finds endpoints by name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
	LookupSRV(ctx context.Context, service, proto, name string) (string, []*net.SRV, error)
}

// lookUp asks DNS. The endpoints come sorted, so that the same answer in another
// order is the same answer, and so that the first 64 are always the same.
func lookUp(ctx context.Context, by Resolver, cfg *config.Resolve) (all []place, err error) {
	if cfg.Type == config.RecordSRV {
		all, err = lookUpSRV(ctx, by, cfg)
	} else {
		all, err = lookUpAddresses(ctx, by, cfg)
	}
	slices.SortFunc(all, func(a, b place) int { return strings.Compare(a.name, b.name) })
	all = slices.CompactFunc(all, func(a, b place) bool { return a.name == b.name })
	return all[:min(len(all), len(directory{}.at))], err
}

// lookUpAddresses finds the addresses of a host. Requests there are addressed to
// the host: an address is where it is, not who it is.
func lookUpAddresses(ctx context.Context, by Resolver, cfg *config.Resolve) (all []place, err error) {
	network := "ip"
	switch cfg.Type {
	case config.RecordA:
		network = "ip4"
	case config.RecordAAAA:
		network = "ip6"
	}
	addresses, err := by.LookupNetIP(ctx, network, cfg.Host)
	for _, a := range addresses {
		p := placeOf(cfg, net.JoinHostPort(a.Unmap().String(), cfg.Port))
		p.host = strings.TrimSuffix(cfg.Host, ".") + ":" + cfg.Port
		if cfg.Port == portOf(cfg.Scheme) {
			p.host = strings.TrimSuffix(cfg.Host, ".")
		}
		all = append(all, p)
	}
	return all, err
}

// lookUpSRV finds the hosts that a service is said to be at: those of the lowest
// priority, which stand for all as long as there are any.
func lookUpSRV(ctx context.Context, by Resolver, cfg *config.Resolve) (all []place, err error) {
	_, records, err := by.LookupSRV(ctx, "", "", cfg.Host)
	if len(records) == 0 {
		return nil, err
	}
	first := slices.MinFunc(records, func(a, b *net.SRV) int { return cmp.Compare(a.Priority, b.Priority) })
	for _, r := range records {
		host := strings.TrimSuffix(r.Target, ".")
		if r.Priority != first.Priority || host == "" || r.Port == 0 {
			continue // a target of "." says that the service is not offered
		}
		p := placeOf(cfg, net.JoinHostPort(host, strconv.Itoa(int(r.Port))))
		p.peer.Weight = float64(max(1, r.Weight)) // 0 is the least, not none
		all = append(all, p)
	}
	return all, err
}

func placeOf(cfg *config.Resolve, address string) place {
	u := &url.URL{Scheme: cfg.Scheme, Host: address}
	return place{endpoint{url: u, name: u.String()}, balance.Peer{Weight: 1, Zone: cfg.Zone}}
}
