// Package balance chooses the endpoint for each attempt.
//
// A dependency is many machines. One of them is slow today, one refuses, one has
// just started, one is not there; which, nobody says. The balancer finds out from
// the attempts that it sends anyway. An attempt that follows a failed one goes to
// an endpoint that this call has not tried, because trying the same machine again
// is the least likely to help.
//
// # Algorithm
//
// Who may be chosen: those that are not marked as ejected or unhealthy, or all if
// the share of the others is below the panic threshold, never those that drain;
// of these, those that do not rest; of these, those that were not tried, or else
// those that were; of these, those of the preferred zone, or with a probability
// the others, if too few of the zone's are up.
//
// Two choices: two different endpoints are drawn by weight, and the one that costs
// less is taken, the first if they cost the same. The cost is
//
//	latency * (in flight / weight + 1) / (1 - failing)
//
// The weight is not in front of the whole: a machine that is twice as large works
// on twice as many requests at a time, and on one no faster. Idle endpoints then
// cost the same, and get attempts by their weight because they are drawn by it.
//
// The latency is a mean over time that goes up to a slower answer at once and down
// to a faster one by 1 - e^(-t/decay), where t is the time since the last report.
// While nobody awaits an answer it fades to zero, so that an endpoint that was slow
// is tried again; while somebody does it stays, because the endpoint may hang. Only
// a success counts as fast. Any other end can only show the endpoint slower: a
// refusal takes no time, and a caller that left knows a lower bound.
//
// Failing is the share of failures among the latest answers, each of which weighs
// an eighth. It fades with the same decay, and is counted as 0.98 at most. An
// endpoint that refuses everything costs fifty times as much as the latency that
// its successes had.
//
// An endpoint of which no latency is known is asked at once if it has nothing to
// do, and costs more than any other until it has answered.
//
// Round robin: the next in order, the first of all by chance; with weights, the
// endpoint whose turns are the furthest behind its weight. It knows of rests,
// marks and zones, and not of latency.
//
// Slow start: the weight of an endpoint that is new, or back from a mark or a rest,
// grows from a tenth to all of it in a straight line.
//
// An endpoint rests for one second after an attempt could not reach it. Then one
// attempt, and only one, is sent to it as a trial. If that fails too it rests twice
// as long, up to ten seconds; if it succeeds the endpoint is back. A trial that
// never reports is replaced by another after the same rest. While an endpoint
// rests and no trial is out, a report can only be of an attempt that began earlier.
// It says nothing about now and is ignored, so that fifty calls failing at once
// count as one failure. If all endpoints rest, the one whose last failure or try is
// the longest ago is chosen, of those not tried first: a guess is better than a
// certain refusal. A guess that fails leaves the rest as it was.
//
// # Locking
//
// One mutex around the machine, held for a few dozen nanoseconds.
//
// # Source
//
// M. Mitzenmacher, The Power of Two Choices in Randomized Load Balancing, 2001; the
// peak-sensitive mean that fades is that of Finagle's load balancer; the panic
// threshold and the slow start are known from Envoy. That refusals must not look
// like speed is what rate-limited services taught Linkerd's users.
package balance
