package hashmill

import (
	"hash"
	"io"
	"runtime"
)

// An HMAC computes a message authentication code (RFC 2104) piece by piece; it is a [hash.Hash]. One goroutine may use
// it at a time. Its key is wiped when it is garbage-collected. An HMAC must not be copied, since the copy's methods
// panic: use Clone.
//
// crypto/hmac works with the constructors as well: hmac.New(hashmill.NewSHA256, key).
type HMAC struct {
	_    noCopy
	self *HMAC // where it was made; a copy's key would be wiped with the original's
	a    Algorithm
	m    mac
	// What was written last and has not gone to m yet, as in a Hash.
	n      int
	buffer [bufferSize]byte
}

var (
	_ hash.Cloner     = (*HMAC)(nil)
	_ io.StringWriter = (*HMAC)(nil)
)

// NewHMAC makes an HMAC with a key of any length. [ErrBadKey] if the algorithm is not a cryptographic digest, and for a
// key longer than the block if the digest is longer too (CubeHash, and SHAKE with such a length): even hashed, as RFC
// 2104 prescribes, the key would not fit.
func NewHMAC(a Algorithm, key []byte) (*HMAC, error) {
	e, err := a.known()
	if err != nil {
		return nil, err
	}
	m := &HMAC{a: a}
	if err := m.m.make(e.c, key); err != nil {
		return nil, err
	}
	m.self = m
	m.m.cleanUp(m)
	return m, nil
}

// Write adds to the message. It never fails.
func (m *HMAC) Write(p []byte) (int, error) {
	m.add(p)
	return len(p), nil
}

// WriteString adds to the message without copying it. It never fails.
func (m *HMAC) WriteString(s string) (int, error) {
	m.add(stringBytes(s))
	return len(s), nil
}

// check panics if m is not a valid HMAC.
func (m *HMAC) check() {
	if m.self == m {
		return
	}
	if m.self == nil {
		panic(failure(ErrBadArgument, "there is no HMAC: NewHMAC makes one"))
	}
	panic(failure(ErrBadArgument, "%s: the HMAC was copied: Clone makes another", m.a))
}

func (m *HMAC) add(p []byte) {
	m.check()
	if len(p) <= bufferSize-m.n {
		m.n += copy(m.buffer[m.n:], p)
		return
	}
	m.flush(p)
}

// flush passes the buffer to the library, and then p.
func (m *HMAC) flush(p []byte) {
	m.m.add(m.buffer[:m.n], p)
	m.n = 0
	runtime.KeepAlive(m)
}

// Sum appends the code so far to b. It may be called again, and more may follow.
func (m *HMAC) Sum(b []byte) []byte {
	m.check()
	b, room := extend(b, m.a.Size())
	m.m.final(m.buffer[:m.n], room)
	m.n = 0
	runtime.KeepAlive(m)
	return b
}

// Verify reports whether code is that of the message so far. The time does not depend on where they differ, and a
// prefix is not accepted.
func (m *HMAC) Verify(code []byte) bool {
	m.check()
	m.flush(nil)
	defer runtime.KeepAlive(m)
	return m.m.verify(code)
}

// Reset goes back to an empty message; the key stays.
func (m *HMAC) Reset() {
	m.check()
	m.m.reset()
	m.n = 0
	runtime.KeepAlive(m)
}

// Clone returns another HMAC with the same message so far. It never fails.
func (m *HMAC) Clone() (hash.Cloner, error) {
	m.check()
	c := &HMAC{a: m.a, n: m.n, buffer: m.buffer}
	m.m.cloneTo(&c.m)
	runtime.KeepAlive(m)
	c.self = c
	c.m.cleanUp(c)
	return c, nil
}

// Size is the code's length in bytes.
func (m *HMAC) Size() int { return m.a.Size() }

// BlockSize is the digest's block in bytes.
func (m *HMAC) BlockSize() int { return m.a.BlockSize() }
