package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/idempotency"
)

// format is the version of what is in the file. A program that does not know
// it must leave the file alone: to read claims wrongly is to lose them.
const format = "idempotency 1"

// maxKey leaves room for the time before the key in the second bucket.
const maxKey = bbolt.MaxKeySize - 8

var (
	metaBucket   = []byte("meta")
	formatKey    = []byte("format")
	recordBucket = []byte("records") // key: record
	untilBucket  = []byte("until")   // Until and key: nothing
)

var errDamaged = errors.New("a record cannot be read: the file is damaged")

// pages are the buckets in a transaction.
type pages struct{ records, until *bbolt.Bucket }

// pagesOf returns the buckets, which are made if the file is new.
func pagesOf(tx *bbolt.Tx, first bool) (*pages, error) {
	if first {
		if err := prepare(tx); err != nil {
			return nil, err
		}
	}
	return &pages{tx.Bucket(recordBucket), tx.Bucket(untilBucket)}, nil
}

// prepare makes the buckets of a new file, and refuses one that is not ours.
func prepare(tx *bbolt.Tx) error { return begin(tx, format, recordBucket, untilBucket) }

// begin makes a new file one of a format, and refuses one of another.
func begin(tx *bbolt.Tx, format string, buckets ...[]byte) error {
	meta := tx.Bucket(metaBucket)
	if meta != nil {
		if got := string(meta.Get(formatKey)); got != format {
			return fmt.Errorf("has the format %q and not %q; use another file, "+
				"or the release that wrote it", got, format)
		}
		return nil
	}
	if name, _ := tx.Cursor().First(); name != nil {
		return errors.New("is the database of another program; use another file")
	}
	for _, name := range append(buckets, metaBucket) {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return tx.Bucket(metaBucket).Put(formatKey, []byte(format))
}

// get returns the key's record, or a Fresh one. It holds no memory of the file.
func (p *pages) get(key string) (idempotency.Record, error) {
	value := p.records.Get([]byte(key))
	if value == nil {
		return idempotency.Record{}, nil
	}
	r, err := decode(key, value)
	r.Answer = bytes.Clone(r.Answer)
	return r, err
}

// each calls visit with each record until it returns an error. The answers are
// the file's memory: they end with the transaction, and must not be changed.
func (p *pages) each(visit func(idempotency.Record) error) error {
	return p.records.ForEach(func(key, value []byte) error {
		r, err := decode(string(key), value)
		if err != nil {
			return err
		}
		return visit(r)
	})
}

// earliest returns the record whose Until comes first.
func (p *pages) earliest() (r idempotency.Record, ok bool, err error) {
	at, _ := p.until.Cursor().First()
	if at == nil {
		return r, false, nil
	}
	if len(at) < 8 {
		return r, false, errDamaged
	}
	r, err = p.get(string(at[8:]))
	if err == nil && (r.State == idempotency.Fresh || !bytes.Equal(at, untilKey(r))) {
		err = errDamaged
	}
	return r, err == nil, err
}

// put writes next in place of old, in both buckets. Either may be Fresh.
func (p *pages) put(old, next idempotency.Record) error {
	had, has := old.State != idempotency.Fresh, next.State != idempotency.Fresh
	if had && (!has || old.Until != next.Until) {
		if err := p.until.Delete(untilKey(old)); err != nil {
			return err
		}
	}
	if !has {
		return p.records.Delete([]byte(old.Key))
	}
	if !had || old.Until != next.Until {
		if err := p.until.Put(untilKey(next), nil); err != nil {
			return err
		}
	}
	return p.records.Put([]byte(next.Key), encode(next))
}

// untilKey sorts by time: the sign is turned so that it sorts before the digits.
func untilKey(r idempotency.Record) []byte {
	at := make([]byte, 8, 8+len(r.Key))
	binary.BigEndian.PutUint64(at, uint64(r.Until)^1<<63)
	return append(at, r.Key...)
}

// A record is its state, Until, fingerprint, the lengths of name and owner as
// varints, both texts, and the answer.
const fixed = 1 + 8 + len(idempotency.Fingerprint{})

func encode(r idempotency.Record) []byte {
	out := make([]byte, 0, fixed+2*binary.MaxVarintLen64+len(r.Name)+len(r.Owner)+len(r.Answer))
	out = append(out, byte(r.State))
	out = binary.BigEndian.AppendUint64(out, uint64(r.Until))
	out = append(out, r.Fingerprint[:]...)
	out = binary.AppendUvarint(out, uint64(len(r.Name)))
	out = binary.AppendUvarint(out, uint64(len(r.Owner)))
	out = append(append(out, r.Name...), r.Owner...)
	return append(out, r.Answer...)
}

// decode is the inverse of encode. The record's answer is a part of in.
func decode(key string, in []byte) (r idempotency.Record, err error) {
	if len(in) < fixed || in[0] == byte(idempotency.Fresh) || in[0] > byte(idempotency.Unknown) {
		return r, errDamaged
	}
	r.Key, r.State = key, idempotency.State(in[0])
	r.Until = core.Instant(binary.BigEndian.Uint64(in[1:]))
	copy(r.Fingerprint[:], in[9:])
	in = in[fixed:]
	name, n := binary.Uvarint(in)
	if n <= 0 {
		return r, errDamaged
	}
	owner, m := binary.Uvarint(in[n:])
	if m <= 0 {
		return r, errDamaged
	}
	in = in[n+m:]
	left := uint64(len(in))
	if name > left || owner > left-name {
		return r, errDamaged
	}
	r.Name, r.Owner = string(in[:name]), string(in[name:name+owner])
	if answer := in[name+owner:]; len(answer) > 0 {
		r.Answer = answer
	}
	return r, nil
}
