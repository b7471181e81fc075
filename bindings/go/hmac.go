package hashmill

import (
	"hash"
	"io"
	"runtime"
)

// An HMAC is a message authentication code in the making (RFC 2104): a [hash.Hash]. One goroutine may use it at a time. Its key
// is wiped when it is collected. An HMAC must not be copied: Clone makes another, and the copy's methods panic.
//
// crypto/hmac works with the constructors as well: hmac.New(hashmill.NewSHA256, key).
type HMAC struct {
	_    noCopy
	self *HMAC // where it was made; a copy's key would be wiped with the original's
	a    Algorithm
	m    mac
	// What was written last and m does not have yet, as in a Hash.
	n      int
	buffer [bufferSize]byte
}

var (
	_ hash.Cloner     = (*HMAC)(nil)
	_ io.StringWriter = (*HMAC)(nil)
)

// NewHMAC makes an HMAC with a key of any length. [ErrBadKey] for what is no cryptographic digest, and for a key longer than the block
// where the digest is longer too (CubeHash, and SHAKE of such a length): hashed, as RFC 2104 has it, the key would still not fit.
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

// check panics for what is no HMAC.
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

// flush gives the library what is in the buffer, and then p.
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

// Verify says whether code is that of the message so far. It takes a time that does not depend on where they differ, and accepts
// no prefix.
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

// Clone is another HMAC of the same message so far. It never fails.
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
