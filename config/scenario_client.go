package config

import (
	"strings"
	"time"
)

const maxMembers = 10_000

func (st *staging) readClients(o *object) {
	const example = "who calls, such as users: {to: checkout, rate: 1000/s}"
	for _, f := range o.members("clients", example, maxClients) {
		st.claim(f, "a client")
		c := &Client{Name: f.key.Value, Members: 1}
		st.s.Clients = append(st.s.Clients, c)
		v := objectOf(f, "a section such as {to: checkout, rate: 1000/s}")
		v.client(st, c)
		v.close()
	}
}

func (o *object) client(st *staging, c *Client) {
	o.require("to", "the name of the service that it calls")
	to := o.serviceAt(st, "to", &c.To)
	o.load(c)
	l := within(time.Microsecond, day, "1s")
	l.off = "for ever"
	o.duration("patience", &c.Patience, l)
	choose(o, "criticality", &c.Criticality, classOptions()...)
	o.tenantName(c)
	o.mixture(c, to)
	v := stagedClient{Client: c, to: o.find("to"), policy: o.protection(st, c)}
	if to != nil {
		st.clients = append(st.clients, v)
	}
}

// tenantName reads whose calls they are.
func (o *object) tenantName(c *Client) {
	f := o.text("tenant", &c.Tenant, nameForm, nameFix)
	o.note("tenant", f, shown(c.Tenant))
}

// load reads how the client makes its calls: so many a second, or by so many
// users.
func (o *object) load(c *Client) {
	rate, users := o.find("rate"), o.find("users")
	switch {
	case rate != nil && users != nil:
		users.failKey("a client has a rate or users, not both", "remove one of them")
		o.find("arrivals")
		o.find("think")
	case users != nil:
		o.notWith("users", "arrivals")
		o.integer("users", &c.Users, within[int](1, 1e6, "50"))
		think := o.require("think", "how long a user waits before the next call, such as 1s")
		o.latency("think", &c.Think)
		if think != nil && c.Think.zero() && o.d.failures == o.clean {
			think.fail("users who never wait call for ever at one instant",
				"give a time such as 1s")
		}
	default:
		if rate == nil && !o.broken {
			o.missing("rate", "how many calls a second it makes, such as 1000/s, or users and think")
		}
		o.notWith("rate", "think")
		o.rate("rate", &c.Rate, within(0, 1e6, "1000/s"))
		choose(o, "arrivals", &c.Arrivals,
			option[Arrivals]{"poisson", Poisson}, option[Arrivals]{"even", Even})
	}
}

// mixture reads which routes the calls are for: names and weights. Left out,
// all are for the first.
func (o *object) mixture(c *Client, to *stagedService) {
	f := o.find("routes")
	if f == nil {
		first := ""
		if to != nil && len(to.Routes) > 0 {
			first = to.Routes[0].Name
			c.Routes = []Share{{first, 1}}
		}
		o.note("routes", nil, "the first")
		return
	}
	const want = "routes and their weights, such as {pricing: 2, inventory: 1}"
	s := o.section("routes", want)
	sum := 0.0
	var texts []string
	for _, r := range s.each() {
		if to != nil {
			to.routeOf(r.key.Value, r.failKey)
		}
		weight, ok := scalarOf(r, factors, within[float64](0, 1e6, "1"))
		if !ok {
			continue
		}
		sum += weight
		c.Routes = append(c.Routes, Share{r.key.Value, weight})
		texts = append(texts, r.key.Value+": "+showFactor(weight))
	}
	if sum == 0 && !s.broken && o.d.failures == o.clean {
		f.fail("no route has any weight", "give "+want)
	}
	for i := range c.Routes {
		c.Routes[i].Share /= sum
	}
	o.note("routes", f, "{"+strings.Join(texts, ", ")+"}")
}

// protection reads the policy of the client's own calls, and returns where it
// is named.
func (o *object) protection(st *staging, c *Client) *field {
	file, f := o.policy(st)
	if f == nil {
		o.onlyWith(false, "policy", "dependency", "clients")
		return nil
	}
	c.Member = Member{File: file, Dependency: c.To}
	if d := o.find("dependency"); d != nil {
		f = d
		o.dependencyName(&c.Member.Dependency)
	} else {
		o.note("dependency", nil, c.To)
	}
	o.integer("clients", &c.Members, within(1, maxMembers, "500"))
	if c.Member.Dependency != "" {
		st.inPolicy(file, c.Member.Dependency, f)
	}
	return f
}
