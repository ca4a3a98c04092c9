package seakeepredis

import (
	"strings"

	"github.com/redis/go-redis/v9"
)

// kind is what a hook must know of a command.
type kind uint8

const (
	other    kind = iota // its errors stay errors, and it is not repeated
	readNil              // a read that answers nil when there is nothing
	readNone             // a read that answers with nothing in it: 0, false, no elements
	readNils             // a read that answers a nil for each key
	fill                 // stores a value that can be had elsewhere
	blocking             // waits on purpose
	setup                // what go-redis sends on a new connection
)

func (k kind) read() bool { return k == readNil || k == readNone || k == readNils }

var kinds = func() map[string]kind {
	m := map[string]kind{}
	for k, names := range map[kind]string{
		readNil: "get hget lindex zscore zrank zrevrank srandmember hrandfield zrandmember " +
			"geodist json.get",
		readNone: "exists strlen getrange getbit bitcount bitpos hgetall hkeys hvals hlen hexists " +
			"hstrlen lrange llen lpos smembers sismember scard sunion sinter sdiff sintercard " +
			"zrange zrangebyscore zrangebylex zrevrange zrevrangebyscore zcard zcount zlexcount " +
			"zunion zinter zdiff pfcount xlen xrange xrevrange georadius_ro geosearch touch",
		readNils: "mget hmget",
		fill:     "set setex psetex mset hset hmset setrange",
		blocking: "blpop brpop brpoplpush blmove blmpop bzpopmin bzpopmax bzmpop wait waitaof " +
			"monitor subscribe psubscribe ssubscribe",
		setup: "hello auth select readonly client",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = k
		}
	}
	return m
}()

// kindOf looks a command up. What its arguments turn into something else is not
// what its name says.
func kindOf(cmd redis.Cmder) kind {
	k, args := kinds[cmd.Name()], cmd.Args()
	switch {
	case cmd.Name() == "xread" || cmd.Name() == "xreadgroup":
		if has(args, "block") {
			return blocking
		}
	case cmd.Name() == "set" && (has(args[min(3, len(args)):], "nx", "xx", "get", "ifeq", "ifne")):
		return other // a condition is a lock's or a counter's, whose failure must be seen
	}
	return k
}

// has reports whether an argument is one of the words.
func has(args []any, words ...string) bool {
	for _, a := range args {
		s, ok := a.(string)
		for _, w := range words {
			if ok && strings.EqualFold(s, w) {
				return true
			}
		}
	}
	return false
}

// kindOfAll is the kind of a pipeline: one that blocks blocks all, and only
// reads are a read.
func kindOfAll(cmds []redis.Cmder) kind {
	all := readNone
	for _, c := range cmds {
		switch k := kindOf(c); {
		case k == blocking:
			return blocking
		case k == setup && all != other:
			all = setup
		case !k.read() && all != setup:
			all = other
		case k != setup && all == setup:
			all = other
		}
	}
	return all
}

// missed turns a command without an answer into what Redis would say if it held
// nothing. It reports false for one that has no such answer.
func missed(cmd redis.Cmder) bool {
	switch k := kindOf(cmd); k {
	case readNil:
		cmd.SetErr(redis.Nil)
	case readNone, fill:
		cmd.SetErr(nil)
	case readNils:
		return missedAll(cmd)
	default:
		return false
	}
	return true
}

func missedAll(cmd redis.Cmder) bool {
	keys := len(cmd.Args()) - 1
	if cmd.Name() == "hmget" {
		keys--
	}
	none := make([]any, max(keys, 0))
	switch c := cmd.(type) {
	case *redis.SliceCmd:
		c.SetVal(none)
	case *redis.Cmd:
		c.SetVal(none)
	default:
		cmd.SetErr(redis.Nil)
		return true
	}
	cmd.SetErr(nil)
	return true
}
