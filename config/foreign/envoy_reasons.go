package foreign

// envoyReasons say why a key of Envoy is dropped, by folded key.
var envoyReasons = reasons(map[string][]string{
	"it ejects single hosts, which is not what a breaker does; to stop calling the dependency " +
		"as a whole write a breaker, such as {window: {consecutive: 5}}": {"outlier_detection"},
	"the policy file has no hedging: the next attempt starts when one has failed or has passed " +
		"timeout.request": {"hedge_policy"},
	"calls are counted, not connections; over HTTP/1.1 each call has its own, so if this is the " +
		"limit you mean, make it bulkhead.limit": {"max_connections", "max_connection_pools",
		"per_host_thresholds"},
	"what is left is in the snapshot anyway": {"track_remaining"},
	"the balancer watches how endpoints answer; there are no active checks in the policy file": {
		"health_checks", "health_status", "health_check_config"},
	"endpoints are all alike, and the balancer picks the less busy of two": {"lb_policy",
		"load_balancing_policy", "load_balancing_weight", "locality", "priority",
		"least_request_lb_config", "ring_hash_lb_config", "maglev_lb_config", "lb_subset_config",
		"round_robin_lb_config", "common_lb_config", "overprovisioning_factor", "policy",
		"retry_priority", "hash_policy"},
	"endpoints are written in the policy file, and names are looked up as they are called": {
		"type", "cluster_type", "eds_cluster_config", "dns_lookup_family", "dns_refresh_rate",
		"respect_dns_ttl", "dns_resolvers", "endpoint_name",
		"typed_dns_resolver_config", "dns_resolution_config", "resolver_name", "protocol"},
	"certificates and protocols are not a matter of the policy": {"transport_socket",
		"transport_socket_matches", "http2_protocol_options", "http_protocol_options",
		"common_http_protocol_options", "typed_extension_protocol_options", "typed_config",
		"upstream_http_protocol_options", "upstream_connection_options"},
	"only limits on the call and on the attempt can be given: timeout.total and timeout.request": {
		"idle_timeout", "per_try_idle_timeout", "max_stream_duration", "max_grpc_timeout",
		"grpc_timeout_offset", "flush_timeout", "stream_idle_timeout", "request_timeout"},
	"the balancer tries as many endpoints as there are attempts": {
		"host_selection_retry_max_attempts", "retry_host_predicate", "retry_options_predicates"},
	"what is retried is decided by cause, not by headers": {"retriable_headers",
		"retriable_request_headers"},
	"no route that calls a dependency uses it": {"retry_policy", "request_body_buffer_limit",
		"per_request_buffer_limit_bytes"},
	"rewriting and mirroring are a router's work, not a policy's": {"prefix_rewrite",
		"regex_rewrite", "path_rewrite", "path_rewrite_policy", "host_rewrite_literal",
		"auto_host_rewrite", "host_rewrite_header", "append_x_forwarded_host",
		"request_mirror_policies", "request_headers_to_add", "request_headers_to_remove",
		"response_headers_to_add", "response_headers_to_remove", "cors",
		"internal_redirect_policy"},
	"which share of calls goes where is decided by whoever calls the dependencies": {"weight",
		"total_weight", "runtime_key_prefix", "weighted_clusters"},
	"rate limits are not in the policy file": {"rate_limits", "include_vh_rate_limits"},
	"of listeners only the routes in them are read": {"listeners", "filter_chains", "filters",
		"http_filters", "listener_filters", "address", "access_log", "stat_prefix", "codec_type",
		"traffic_direction"},
	"settings of the Envoy process, not of a dependency": {"admin", "node", "layered_runtime",
		"dynamic_resources", "stats_config", "stats_sinks", "tracing", "overload_manager",
		"cluster_manager", "watchdog", "static_resources", "id"},
	"it only describes": {"metadata", "alt_stat_name", "name", "@type", "version_info",
		"last_updated", "decorator", "cluster_name"},
})

// reasons turns a table by reason into one by folded key.
func reasons(byReason map[string][]string) map[string]string {
	byKey := map[string]string{}
	for reason, keys := range byReason {
		for _, key := range keys {
			byKey[fold(key)] = reason
		}
	}
	return byKey
}
