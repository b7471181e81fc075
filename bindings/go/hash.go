package hashmill

import (
	"hash"
	"io"
	"runtime"
	"sync"
)

// An Option is an input to a hash besides the message, for [New] and similar functions.
type Option func(*inputs)

// inputs is what the options fill in.
type inputs struct {
	key, salt, personal, resume []byte
	hasKey, hasContext          bool
	hasResume                   bool
	context, kernel             string
	size                        int
	hasSize, hasSeed            bool
	seed                        uint64
}

// WithKey sets a key: BLAKE2 (up to [Algorithm.MaxKeySize] bytes), BLAKE3 (32), SipHash (16); for XXH3 the secret (136
// bytes or more). [ErrBadKey] for algorithms that take none; use [NewHMAC] for those.
func WithKey(key []byte) Option { return func(in *inputs) { in.key, in.hasKey = key, true } }

// WithSalt sets a salt: BLAKE2b (up to 16 bytes), BLAKE2s (8). Shorter ones are padded with zeros. [ErrBadParameter].
func WithSalt(salt []byte) Option { return func(in *inputs) { in.salt = salt } }

// WithPersonal sets a personalization, which makes the digests for one purpose differ from all others: BLAKE2b (up to
// 16 bytes), BLAKE2s (8). [ErrBadParameter].
func WithPersonal(personal []byte) Option { return func(in *inputs) { in.personal = personal } }

// WithContext derives a key, with this context string (BLAKE3); the message is the key material. [ErrBadParameter].
func WithContext(context string) Option {
	return func(in *inputs) { in.context, in.hasContext = context, true }
}

// WithSize sets the digest's length in bytes, as [Algorithm.WithSize]. [ErrBadParameter].
func WithSize(bytes int) Option { return func(in *inputs) { in.size, in.hasSize = bytes, true } }

// WithSeed sets the seed, as [Algorithm.WithSeed]: xxHash, MurmurHash 3. [ErrBadParameter].
func WithSeed(seed uint64) Option { return func(in *inputs) { in.seed, in.hasSeed = seed, true } }

// WithKernel runs the hash on this kernel (see [Algorithm.Kernels]), for tests and benchmarks. [ErrUnknownKernel],
// [ErrKernelUnavailable].
func WithKernel(name string) Option { return func(in *inputs) { in.kernel = name } }

// ResumeFrom continues from the digest of the data before the message, as zlib's crc32(crc, data) does: CRCs and
// Adler-32. [ErrNotResumable], [ErrWrongLength].
func ResumeFrom(digest []byte) Option {
	return func(in *inputs) { in.resume, in.hasResume = digest, true }
}

// bufferSize is how many bytes a Hash buffers before it calls the library: a call takes longer than hashing so few.
const bufferSize = 256

// earlyFrom is how many bytes the first call for a message must have for the digest to be computed along with it. Such
// a call often contains the whole message, and a second call would take longer than the digest, which takes little time
// compared with so many bytes.
const earlyFrom = 1024

// A Hash computes a digest piece by piece. It is a [hash.Hash], [hash.Cloner], [io.StringWriter], [io.ReaderFrom],
// [encoding.BinaryMarshaler], [encoding.BinaryAppender] and [encoding.BinaryUnmarshaler]. One goroutine may use it at a
// time.
//
// The zero Hash is not usable until UnmarshalBinary fills it. A Hash must not be copied, since the copy's methods
// panic: use Clone.
type Hash struct {
	_    noCopy
	self *Hash // where it was made; a copy would have the same state
	a    Algorithm
	size int
	// The message is what has gone into the state, if it is live, followed by the buffer. A message that fits the buffer
	// needs no state, unless there are options.
	s       state
	live    bool
	options bool
	keyed   bool
	n       int
	early   bool // the buffer has no bytes of the message (n is 0) but the digest of it
	buffer  [bufferSize]byte
}

// noCopy makes go vet complain about copies, which would share one state; use Clone instead.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

var (
	_ hash.Cloner     = (*Hash)(nil)
	_ io.StringWriter = (*Hash)(nil)
	_ io.ReaderFrom   = (*Hash)(nil)
)

// New makes a Hash for the algorithm with this name ([Parse]). The errors are those of Parse and of the options.
func New(name string, options ...Option) (*Hash, error) {
	a, err := Parse(name)
	if err != nil {
		return nil, err
	}
	return a.New(options...)
}

// New makes a Hash. Without options it fails only for the zero Algorithm.
func (a Algorithm) New(options ...Option) (*Hash, error) {
	h := new(Hash)
	if err := h.make(a, options); err != nil {
		return nil, err
	}
	return h, nil
}

func (h *Hash) make(a Algorithm, options []Option) error {
	e, err := a.known()
	if err != nil {
		return err
	}
	h.self = h
	if len(options) == 0 {
		h.a, h.size = a, e.facts.size
		return nil
	}
	var in inputs
	for _, set := range options {
		if set != nil {
			set(&in)
		}
	}
	if in.hasSize {
		if a, err = a.WithSize(in.size); err != nil {
			return err
		}
	}
	if in.hasSeed {
		if a, err = a.WithSeed(in.seed); err != nil {
			return err
		}
	}
	e = a.must()
	h.a, h.size = a, e.facts.size
	if err := h.s.makeWith(e.c, &in); err != nil {
		return err
	}
	h.options, h.keyed = true, in.hasKey || in.hasContext
	h.s.cleanUp(h)
	return nil
}

// plain is for the constructors; it cannot fail.
func (a Algorithm) plain() *Hash {
	h, err := a.New()
	if err != nil {
		panic(err)
	}
	return h
}

// Algorithm returns the algorithm.
func (h *Hash) Algorithm() Algorithm { return h.a }

// Write adds to the message. It never fails.
func (h *Hash) Write(p []byte) (int, error) {
	h.add(p)
	return len(p), nil
}

// WriteString adds to the message without copying it. It never fails.
func (h *Hash) WriteString(s string) (int, error) {
	h.add(stringBytes(s))
	return len(s), nil
}

// check panics if h is not a valid Hash.
func (h *Hash) check() {
	if h.self != h {
		h.isNone()
	}
}

func (h *Hash) isNone() {
	if h.self == nil {
		panic(failure(ErrBadArgument, "there is no hash: New makes one"))
	}
	panic(failure(ErrBadArgument, "%s: the Hash was copied: Clone makes another", h.a))
}

func (h *Hash) add(p []byte) {
	h.check()
	if len(p) <= bufferSize-h.n {
		h.early = false
		h.n += copy(h.buffer[h.n:], p)
		return
	}
	h.flush(p)
}

// flush passes the buffer to the library, and then p.
func (h *Hash) flush(p []byte) {
	h.early = !h.live && len(p) >= earlyFrom && 0 < h.size && h.size <= bufferSize
	if h.live {
		h.s.add(h.buffer[:h.n], p)
	} else {
		digest := []byte(nil)
		if h.early {
			digest = h.buffer[:h.size]
		}
		if h.s.begin(h.a.must().c, h.buffer[:h.n], p, digest) {
			h.s.cleanUp(h)
		}
		h.live = true
	}
	h.n = 0
	runtime.KeepAlive(h)
}

// WriteBits adds the first `bits` bits of p, from the high bit of its last byte down; for Keccak, SHA-3 and SHAKE from
// the low bit up (FIPS 202, B.1). p must have exactly as many bytes as the bits take. More may follow. [ErrBadBits].
func (h *Hash) WriteBits(p []byte, bits uint64) error {
	h.check()
	if bytes := bits/8 + min(bits%8, 1); bytes != uint64(len(p)) {
		return failure(ErrBadBits, "%s: %d bits take %d bytes, not %d", h.a, bits, bytes, len(p))
	}
	h.flush(nil)
	defer runtime.KeepAlive(h)
	return h.s.updateBits(p, bits)
}

// readAtOnce is how many bytes are requested from a reader: few enough for the second-level cache, enough to make a
// call and a read worthwhile.
const readAtOnce = 256 << 10

var readBuffers = sync.Pool{New: func() any { return new([readAtOnce]byte) }}

// ReadFrom adds everything from r, up to its end, to the message and returns the number of bytes; [io.Copy] calls it.
// Errors of the reader are returned unchanged, after adding the bytes that came with them; [io.ErrNoProgress] if it
// returns nothing a hundred times.
func (h *Hash) ReadFrom(r io.Reader) (int64, error) {
	if r == nil {
		return 0, failure(ErrBadArgument, "the reader is nil")
	}
	buffer := readBuffers.Get().(*[readAtOnce]byte)
	defer readBuffers.Put(buffer)
	total, idle := int64(0), 0
	for {
		n, err := r.Read(buffer[:])
		if n < 0 || n > len(buffer) {
			return total, failure(ErrIO, "the reader says that it read %d bytes into %d", n, len(buffer))
		}
		if n > 0 {
			h.add(buffer[:n])
			total += int64(n)
			idle = 0
		} else if idle++; err == nil && idle >= 100 {
			return total, io.ErrNoProgress
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// Sum appends the digest so far to b. It may be called again, and more may follow.
func (h *Hash) Sum(b []byte) []byte {
	h.check()
	b, room := extend(b, h.size)
	c := h.a.must().c
	switch {
	case h.early:
		copy(room, h.buffer[:])
	case h.live:
		h.s.final(h.buffer[:h.n], room)
		h.n = 0
	case h.options:
		h.s.whole(h.buffer[:h.n], room)
	default:
		libDigest(c, h.buffer[:h.n], room)
	}
	runtime.KeepAlive(h)
	return b
}

// extend makes room for n bytes at the end of b.
func extend(b []byte, n int) (all, room []byte) {
	if free := cap(b) - len(b); free < n {
		grown := make([]byte, len(b), len(b)+n)
		copy(grown, b)
		b = grown
	}
	all = b[:len(b)+n]
	return all, all[len(b):]
}

// Reset goes back to the beginning; the key and other options stay.
func (h *Hash) Reset() {
	h.n, h.live, h.early = 0, false, false
}

// Size is the digest's length in bytes.
func (h *Hash) Size() int { return h.size }

// BlockSize is the length of the blocks that the function works on, in bytes.
func (h *Hash) BlockSize() int { return h.a.BlockSize() }

// Clone returns another Hash with the same message so far. It never fails.
func (h *Hash) Clone() (hash.Cloner, error) { return h.clone(), nil }

func (h *Hash) clone() *Hash {
	c := new(Hash)
	h.cloneTo(c)
	return c
}

// cloneTo makes the zero Hash a clone.
func (h *Hash) cloneTo(c *Hash) {
	h.check()
	c.self = c
	c.a, c.size, c.live, c.options, c.keyed, c.n = h.a, h.size, h.live, h.options, h.keyed, h.n
	copy(c.buffer[:], h.buffer[:h.n])
	if h.live || h.options {
		h.s.cloneTo(&c.s)
		runtime.KeepAlive(h)
		c.s.cleanUp(c)
	}
}

// AppendBinary appends the state to b, for UnmarshalBinary in any later version, on any machine and kernel, and in any
// language. [ErrSecretState] for a keyed Hash.
func (h *Hash) AppendBinary(b []byte) ([]byte, error) {
	if _, err := h.a.known(); err != nil {
		return nil, err
	}
	h.check()
	h.flush(nil)
	defer runtime.KeepAlive(h)
	return h.s.export(b)
}

// MarshalBinary returns the state, like AppendBinary.
func (h *Hash) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// UnmarshalBinary continues from a state, which must be of the same algorithm; the zero Hash accepts any. Salt and the
// like come from the state. Trust a state only as far as the place it was kept. [ErrBadState]; [ErrSecretState] for a
// keyed Hash, since states contain no keys.
func (h *Hash) UnmarshalBinary(state []byte) error {
	return h.load(state, nil)
}

func (h *Hash) load(from []byte, fits func(Algorithm) error) error {
	if h.self != nil {
		h.check()
	}
	if h.keyed {
		return failure(ErrSecretState, "%s: a hash with a key takes no state: none has one", h.a)
	}
	var n state
	c, err := n.load(from)
	if err != nil {
		return err
	}
	a := intern(c)
	if h.a.e != nil && h.a != a {
		err = failure(ErrBadState, "state: it is one of %s, not of %s", a, h.a)
	} else if fits != nil {
		err = fits(a)
	}
	if err != nil {
		n.drop()
		return err
	}
	// The old state is freed as soon as this one is.
	h.s.leave()
	h.self = h
	h.a, h.size, h.s, h.live, h.early, h.n = a, a.Size(), n, true, false, 0
	// A salt or the like that came with the state stays, even after Reset.
	h.options = true
	h.s.cleanUp(h)
	return nil
}

// A Hash32 is a Hash with a digest of 4 bytes or less, such as a CRC-32: a [hash.Hash32].
type Hash32 struct{ Hash }

// A Hash64 is a Hash with a digest of 8 bytes or less, such as XXH64: a [hash.Hash64].
type Hash64 struct{ Hash }

var (
	_ hash.Hash32 = (*Hash32)(nil)
	_ hash.Hash64 = (*Hash64)(nil)
	_ hash.Cloner = (*Hash32)(nil)
	_ hash.Cloner = (*Hash64)(nil)
)

func fits(a Algorithm, most int) error {
	if a.Size() > most {
		return failure(ErrWrongLength, "%s: the digest has %d bytes, which do not fit %d", a, a.Size(), most)
	}
	return nil
}

// New32 is [New] for digests of up to 4 bytes. [ErrWrongLength] for longer ones.
func New32(name string, options ...Option) (*Hash32, error) {
	a, err := Parse(name)
	if err != nil {
		return nil, err
	}
	h := new(Hash32)
	if err := h.make(a, options); err != nil {
		return nil, err
	}
	if err := fits(h.a, 4); err != nil {
		return nil, err
	}
	return h, nil
}

// New64 is [New] for digests of up to 8 bytes. [ErrWrongLength] for longer ones.
func New64(name string, options ...Option) (*Hash64, error) {
	a, err := Parse(name)
	if err != nil {
		return nil, err
	}
	h := new(Hash64)
	if err := h.make(a, options); err != nil {
		return nil, err
	}
	if err := fits(h.a, 8); err != nil {
		return nil, err
	}
	return h, nil
}

func (a Algorithm) plain32() *Hash32 {
	h := new(Hash32)
	if err := h.make(a, nil); err != nil {
		panic(err)
	}
	return h
}

func (a Algorithm) plain64() *Hash64 {
	h := new(Hash64)
	if err := h.make(a, nil); err != nil {
		panic(err)
	}
	return h
}

// Sum32 returns the digest as a big-endian number: what hash/crc32 calls the checksum.
func (h *Hash32) Sum32() uint32 {
	var room [4]byte
	return uint32(number(h.Sum(room[:0])))
}

// Sum64 returns the digest as a big-endian number.
func (h *Hash64) Sum64() uint64 {
	var room [8]byte
	return number(h.Sum(room[:0]))
}

func number(digest []byte) (n uint64) {
	for _, b := range digest {
		n = n<<8 | uint64(b)
	}
	return n
}

// Clone returns another Hash32 with the same message so far. It never fails.
func (h *Hash32) Clone() (hash.Cloner, error) {
	c := new(Hash32)
	h.cloneTo(&c.Hash)
	return c, nil
}

// Clone returns another Hash64 with the same message so far. It never fails.
func (h *Hash64) Clone() (hash.Cloner, error) {
	c := new(Hash64)
	h.cloneTo(&c.Hash)
	return c, nil
}

// UnmarshalBinary is [Hash.UnmarshalBinary]; [ErrWrongLength] for a digest of more than 4 bytes.
func (h *Hash32) UnmarshalBinary(state []byte) error {
	return h.load(state, func(a Algorithm) error { return fits(a, 4) })
}

// UnmarshalBinary is [Hash.UnmarshalBinary]; [ErrWrongLength] for a digest of more than 8 bytes.
func (h *Hash64) UnmarshalBinary(state []byte) error {
	return h.load(state, func(a Algorithm) error { return fits(a, 8) })
}
