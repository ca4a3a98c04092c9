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
	readEach             // a read that answers for each key or field
	readElse             // a read that has no answer which says that there is nothing
	fill                 // stores a value that can be had elsewhere
	blocking             // waits on purpose
	setup                // what go-redis sends on a new connection
)

func (k kind) read() bool { return k >= readNil && k <= readElse }

var kinds = func() map[string]kind {
	m := map[string]kind{}
	for k, names := range map[kind]string{
		readNil: "get hget lindex zscore zrank zrevrank srandmember hrandfield zrandmember " +
			"geodist json.get",
		readNone: "exists strlen getrange getbit bitcount hgetall hkeys hvals hlen hexists " +
			"hstrlen lrange llen smembers sismember scard sunion sinter sdiff sintercard " +
			"zrange zrangebyscore zrangebylex zrevrange zrevrangebyscore zcard zcount zlexcount " +
			"zunion zinter zdiff pfcount xlen xrange xrevrange",
		readEach: "mget hmget smismember",
		readElse: "ttl pttl expiretime pexpiretime type bitpos lpos zmscore geopos geosearch " +
			"scan hscan sscan zscan keys dbsize dump randomkey time ping echo",
		fill: "set setex psetex mset hset hmset setrange",
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

// kindOfAll is the kind of a pipeline: one that blocks blocks all, and only reads
// are a read.
func kindOfAll(cmds []redis.Cmder) kind {
	reads, setups := 0, 0
	for _, c := range cmds {
		switch k := kindOf(c); {
		case k == blocking:
			return blocking
		case k.read():
			reads++
		case k == setup:
			setups++
		}
	}
	switch len(cmds) {
	case reads:
		return readElse
	case setups:
		return setup
	}
	return other
}

// missed turns a command without an answer into what Redis would say if it held
// nothing. It reports false for one that has no such answer. Whatever had been
// read of an answer that broke off is dropped.
func missed(cmd redis.Cmder) bool {
	switch kindOf(cmd) {
	case readNil:
		cmd.SetErr(redis.Nil)
	case readNone, fill:
		empty(cmd)
	case readEach:
		each(cmd)
	default:
		return false
	}
	return true
}

// empty sets an answer with nothing in it, or redis.Nil where there is none.
func empty(cmd redis.Cmder) {
	cmd.SetErr(nil)
	switch c := cmd.(type) {
	case *redis.IntCmd:
		c.SetVal(0)
	case *redis.BoolCmd:
		c.SetVal(false)
	case *redis.StringCmd:
		c.SetVal("")
	case *redis.StatusCmd:
		c.SetVal("")
	case *redis.StringSliceCmd:
		c.SetVal([]string{})
	case *redis.MapStringStringCmd:
		c.SetVal(map[string]string{})
	case *redis.StringStructMapCmd:
		c.SetVal(map[string]struct{}{})
	case *redis.ZSliceCmd:
		c.SetVal([]redis.Z{})
	case *redis.XMessageSliceCmd:
		c.SetVal([]redis.XMessage{})
	default:
		cmd.SetErr(redis.Nil)
	}
}

// each sets a nil, or false, for each key or field that was asked for.
func each(cmd redis.Cmder) {
	n := len(cmd.Args()) - 1
	if cmd.Name() != "mget" { // the first is the key of all
		n--
	}
	n = max(n, 0)
	cmd.SetErr(nil)
	switch c := cmd.(type) {
	case *redis.SliceCmd:
		c.SetVal(make([]any, n))
	case *redis.BoolSliceCmd:
		c.SetVal(make([]bool, n))
	default:
		cmd.SetErr(redis.Nil)
	}
}
