package hashmill

import (
	"io"
)

// Sum returns the digest of data. It panics for the zero Algorithm.
func Sum(a Algorithm, data []byte) []byte {
	return AppendSum(nil, a, data)
}

// SumString returns the digest of a string's bytes, which are not copied. It panics for the zero Algorithm.
func SumString(a Algorithm, s string) []byte {
	return AppendSum(nil, a, stringBytes(s))
}

// AppendSum appends the digest of data to b, and allocates nothing if there is room. It panics for the zero Algorithm.
func AppendSum(b []byte, a Algorithm, data []byte) []byte {
	e := a.must()
	b, room := extend(b, e.facts.size)
	libDigest(e.c, data, room)
	return b
}

// SumReader returns the digest of everything that r returns up to its end. Errors are those of the reader, as in
// [Hash.ReadFrom].
func SumReader(a Algorithm, r io.Reader) ([]byte, error) {
	h, err := a.New()
	if err != nil {
		return nil, err
	}
	if _, err := h.ReadFrom(r); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

// SumMany returns the digests of many messages, in their order. They are hashed side by side in the lanes of vector
// registers and, if there is enough to do, on up to GOMAXPROCS threads. The digests share one allocation. It panics for
// the zero Algorithm.
func SumMany(a Algorithm, messages [][]byte) [][]byte {
	size := a.Size()
	all := AppendMany(nil, a, messages)
	sums := make([][]byte, len(messages))
	for i := range sums {
		sums[i] = all[i*size : (i+1)*size : (i+1)*size]
	}
	return sums
}

// AppendMany appends the digests of many messages to b, in their order and with nothing between them, like [SumMany];
// there is no allocation per message.
func AppendMany(b []byte, a Algorithm, messages [][]byte) []byte {
	e := a.must()
	b, room := extend(b, e.facts.size*len(messages))
	if len(messages) > 0 {
		libMany(e.c, messages, room)
	}
	return b
}

// An Offset is one of Arrow's offset types.
type Offset interface {
	int32 | int64 | uint32 | uint64
}

// AppendColumn appends the digests of the messages of a column to b: message i is data[offsets[i]:offsets[i+1]], so n
// messages have n + 1 offsets; this is the layout of Arrow's Binary and Utf8 arrays. It uses up to GOMAXPROCS threads,
// like SumMany. [ErrBadOffsets].
func AppendColumn[T Offset](b []byte, a Algorithm, offsets []T, data []byte) ([]byte, error) {
	e, err := a.known()
	if err != nil {
		return nil, err
	}
	if len(offsets) == 0 {
		return nil, failure(ErrBadOffsets, "no offsets given: n messages have n + 1")
	}
	if offsets[0] < 0 || uint64(offsets[0]) > uint64(len(data)) {
		return nil, badOffset(0, offsets[0], len(data))
	}
	all, room := extend(b, e.facts.size*(len(offsets)-1))
	var kind uint32
	switch any(offsets[0]).(type) {
	case int32:
		kind = offsets32Signed
	case int64:
		kind = offsets64Signed
	case uint32:
		kind = offsets32
	case uint64:
		kind = offsets64
	}
	if err := libColumn(e.c, offsetBytes(offsets), kind, len(offsets)-1, data, room); err != nil {
		return nil, err
	}
	return all, nil
}

// The library's numbers for the offset types.
const (
	offsets32Signed = 0
	offsets64Signed = 1
	offsets32       = 2
	offsets64       = 3
)

func badOffset[T Offset](i int, n T, bytes int) error {
	return failure(ErrBadOffsets, "offset %d is %d: offsets must ascend from 0 and not exceed the %d bytes given", i, n, bytes)
}

// Combine returns the digest of X followed by Y, given their digests and Y's length in bytes: CRCs, Adler-32 and
// Fletcher-16. [ErrNotResumable], [ErrWrongLength].
func Combine(a Algorithm, x, y []byte, lenY uint64) ([]byte, error) {
	e, err := a.known()
	if err != nil {
		return nil, err
	}
	for _, digest := range [][]byte{x, y} {
		if len(digest) != e.facts.size {
			return nil, failure(ErrWrongLength, "%s: the digest has %d bytes, not %d", a, e.facts.size, len(digest))
		}
	}
	out := make([]byte, e.facts.size)
	if err := libCombine(e.c, x, y, lenY, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Equal compares two digests in a time that depends only on their lengths. A prefix is not equal.
func Equal(x, y []byte) bool { return len(x) == len(y) && (len(x) == 0 || libEqual(x, y)) }
