package foreign

// envoy is the translation of Envoy's settings.
type envoy struct {
	*translation
	clusters []*cluster // in the order in which the input names them
	byName   map[string]*cluster
	policies map[*node]*retryPolicy // routes may share one
	count    int                    // of parts

	admission *node // of a listener; nil: there is none
}

// cluster is what becomes a dependency.
type cluster struct {
	name   string
	def    *node // nil if only routes name it
	routes []*route
}

// Envoy translates settings of Envoy, API v3, in YAML or JSON: a bootstrap, a
// dump of its configuration, a list of clusters, a RouteConfiguration, or a
// fragment of one. Each cluster becomes a dependency, and the routes to it its
// operations. Service is the name of the service that calls them; if it is
// empty, node.cluster is taken.
func Envoy(data []byte, service string) (*Translation, error) {
	t, err := begin("Envoy", service, data, readFragments)
	if err != nil {
		return nil, err
	}
	t.why = envoyReasons
	e := &envoy{translation: t, byName: map[string]*cluster{},
		policies: map[*node]*retryPolicy{}}
	key := ""
	if t.root.kind == list {
		key = "clusters"
	}
	e.scan(t.root, key)
	if len(e.clusters) == 0 {
		e.fragment(t.root)
	}
	t.service(service, t.root.section("node").scalar("cluster"))
	for _, c := range e.clusters {
		if e.failed == nil {
			e.write(c)
		}
	}
	return t.finish()
}

// readFragments reads all documents as one, several as a list.
func readFragments(data []byte) (*node, error) {
	docs, err := readDocuments(data)
	if err != nil || len(docs) == 1 {
		if err != nil {
			return nil, err
		}
		return docs[0], nil
	}
	all := &node{kind: list, line: 1}
	for _, doc := range docs {
		all.add(doc)
	}
	return all, nil
}

// scan looks for clusters and routes wherever they are. key is under which n,
// or the list around it, stands.
func (e *envoy) scan(n *node, key string) {
	switch {
	case n.kind == list:
		for _, kid := range n.kids {
			e.scan(kid, key)
		}
	case n.kind == scalar:
	case n.get("domains") != nil && n.get("routes") != nil:
		e.virtualHost(n)
	case n.section("match") != nil && actionOf(n) != nil:
		e.route(n, nil)
	case isCluster(n, key):
		e.define(n)
	case isAdmission(n):
		e.admits(n)
	default:
		for _, kid := range n.kids {
			e.scan(kid, fold(kid.key))
		}
	}
}

// actionOf returns what a route does.
func actionOf(n *node) *node {
	for _, key := range []string{"route", "redirect", "direct_response", "filter_action",
		"non_forwarding_action"} {
		if action := n.get(key); action != nil {
			return action
		}
	}
	return nil
}

// clusterKeys are keys that only a cluster has.
var clusterKeys = []string{"circuit_breakers", "connect_timeout", "load_assignment",
	"outlier_detection", "lb_policy", "eds_cluster_config", "cluster_type"}

func isCluster(n *node, key string) bool {
	if n.scalar("name").says() == "" {
		return false
	}
	for _, own := range clusterKeys {
		if n.get(own) != nil {
			return true
		}
	}
	if key != "clusters" && key != "cluster" {
		return false
	}
	for _, others := range []string{"filter_chains", "address", "api_listener", "weight"} {
		if n.get(others) != nil {
			return false
		}
	}
	return true
}

// define adds a cluster by its definition.
func (e *envoy) define(n *node) {
	c := e.cluster(n.scalar("name").says())
	if c.def != nil {
		n.drop("a cluster of this name is defined before, and the first one counts")
		return
	}
	c.def = n
}

// cluster returns the cluster of that name.
func (e *envoy) cluster(name string) *cluster {
	c := e.byName[name]
	if c == nil {
		c = &cluster{name: name}
		e.byName[name] = c
		e.clusters = append(e.clusters, c)
	}
	return c
}

// unnamed is what a fragment's dependency is called if nothing names it.
const unnamed = "upstream"

// fragment takes the input for a piece of a cluster or of a route.
func (e *envoy) fragment(root *node) {
	if root.kind != mapping {
		return
	}
	name := root.scalar("name").says()
	if name == "" {
		name = unnamed
	}
	for _, key := range append(clusterKeys, "thresholds") {
		if root.get(key) != nil {
			e.cluster(name).def = root
			break
		}
	}
	switch {
	case root.section("route") != nil:
		action := root.section("route")
		policy := e.policy(action.section("retry_policy"))
		e.action(&route{n: root, action: action, policy: policy}, name)
	case root.get("retry_policy") != nil, root.get("timeout") != nil, root.get("cluster") != nil,
		root.get("weighted_clusters") != nil:
		policy := e.policy(root.section("retry_policy"))
		e.action(&route{n: root, action: root, policy: policy}, name)
	case root.get("retry_on") != nil, root.get("num_retries") != nil:
		e.action(&route{n: root, action: &node{kind: mapping}, policy: e.policy(root)}, name)
	}
}

// write writes a cluster as a dependency.
func (e *envoy) write(c *cluster) {
	from := origin{note: "nothing but routes names it; add its endpoints"}
	if c.def != nil {
		from = origin{n: c.def.scalar("name")}
	}
	if from.n == nil && c.name == unnamed {
		from.note = "the fragment does not name it; give it a name"
	}
	dep := e.dependency(c.name, from)
	l := c.thresholds()
	parts := e.parts(c)
	for _, p := range parts {
		p.retries = p.retries && l.allow()
		if !p.retries {
			p.once()
		}
	}
	if c.def != nil {
		e.endpoints(dep, c.def)
		e.connect(dep, c.def)
		l.bulkhead(dep, longestTotal(parts))
	}
	arrange(dep, parts, l.budget)
	if !dep.has("retry") {
		l.unused(dep, len(parts) > 0)
	}
	e.throttle(dep)
	dep.order("endpoints", "timeout", "retry", "bulkhead", "throttle", "operations")
}
