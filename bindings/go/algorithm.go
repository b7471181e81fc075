package hashmill

import (
	"iter"
	"math"
	"runtime"
	"sync"
	"weak"
)

// An Algorithm is a message digest or checksum with its parameters: digest length, rounds, seed. It is a plain value:
// two are equal (==) if they are the same function, whatever name they were found by. The zero Algorithm is invalid and
// cannot be used.
//
// The variables of this package, such as [SHA256], cover all algorithms with their usual parameters; [Parse] finds them
// by name, and accepts other parameters.
type Algorithm struct{ e *entry }

// opaque is the library's own value for an algorithm; it contains only numbers.
type opaque [4]uint64

// facts are the numeric properties that the library reports for an algorithm.
type facts struct {
	size, minSize, maxSize, block      int
	maxKey, maxSalt, maxPersonal       int
	security, year, collision, seed    int
	context, files, extend, parts, bit bool
}

// An entry is one function; there is exactly one for each, so that comparing pointers is enough. It is loaded on first
// use, so a program that imports the package pays only for what it uses.
type entry struct {
	once  sync.Once
	name  string // the canonical name
	c     *opaque
	facts facts
	err   error
}

func (e *entry) load() {
	e.once.Do(func() {
		if e.c == nil {
			if e.c, e.err = libParse(e.name); e.err != nil {
				return
			}
		}
		e.facts = libFacts(e.c)
	})
}

// known is the loaded entry.
func (a Algorithm) known() (*entry, error) {
	if a.e == nil {
		return nil, failure(ErrBadArgument, "the Algorithm was never set: Parse gives one, and SHA256 is one")
	}
	a.e.load()
	return a.e, a.e.err
}

// must is for calls that fail only because of a bug in the program.
func (a Algorithm) must() *entry {
	e, err := a.known()
	if err != nil {
		panic(err)
	}
	return e
}

// Entries with unusual parameters are kept only as long as they are referenced: names may come from outside.
var interned = struct {
	sync.Mutex
	usual map[string]*entry
	other map[string]weak.Pointer[entry]
}{other: map[string]weak.Pointer[entry]{}}

// intern returns the unique entry for the library's value.
func intern(c *opaque) Algorithm {
	name := libText(c, textName, 0)
	interned.Lock()
	defer interned.Unlock()
	if interned.usual == nil {
		interned.usual = make(map[string]*entry, len(entries))
		for i := range entries {
			interned.usual[entries[i].name] = &entries[i]
		}
	}
	if e := interned.usual[name]; e != nil {
		return Algorithm{e}
	}
	if e := interned.other[name].Value(); e != nil {
		return Algorithm{e}
	}
	e := &entry{name: name, c: c}
	interned.other[name] = weak.Make(e)
	runtime.AddCleanup(e, forget, name)
	return Algorithm{e}
}

func forget(name string) {
	interned.Lock()
	defer interned.Unlock()
	// There may already be a new one with this name.
	if interned.other[name].Value() == nil {
		delete(interned.other, name)
	}
}

// Parse finds an algorithm by any name or alias in any case, with parameters in the name ("skein512-224") or after it
// ("shake128:64": bytes of output; "xxh64:seed=7").
//
// Its errors are of the kinds [ErrUnknownAlgorithm], with the nearest names in the message, [ErrImpossibleName],
// [ErrAmbiguousName] and [ErrBadParameter].
func Parse(name string) (Algorithm, error) {
	c, err := libParse(name)
	if err != nil {
		return Algorithm{}, err
	}
	return intern(c), nil
}

// MustParse is Parse for names that are part of the program. It panics if there is no such algorithm.
func MustParse(name string) Algorithm {
	a, err := Parse(name)
	if err != nil {
		panic(err)
	}
	return a
}

// Algorithms returns all algorithms, with their usual parameters, in the library's order.
func Algorithms() iter.Seq[Algorithm] {
	return func(yield func(Algorithm) bool) {
		for i := range entries {
			if !yield(Algorithm{&entries[i]}) {
				return
			}
		}
	}
}

// Name returns the canonical name, which [Parse] accepts; "" for the zero Algorithm.
func (a Algorithm) Name() string {
	if a.e == nil {
		return ""
	}
	return a.e.name
}

// String returns the Name.
func (a Algorithm) String() string { return a.Name() }

// MarshalText returns the Name, for encoding/json and flags. For the zero Algorithm, which has none, it returns
// [ErrBadArgument]; a field that may be unset needs the tag omitzero.
func (a Algorithm) MarshalText() ([]byte, error) {
	if _, err := a.known(); err != nil {
		return nil, err
	}
	return []byte(a.e.name), nil
}

// AppendText appends the Name to b.
func (a Algorithm) AppendText(b []byte) ([]byte, error) {
	if _, err := a.known(); err != nil {
		return nil, err
	}
	return append(b, a.e.name...), nil
}

// MarshalBinary returns the Name, for encoding/gob.
func (a Algorithm) MarshalBinary() ([]byte, error) { return a.MarshalText() }

// UnmarshalBinary is [Parse].
func (a *Algorithm) UnmarshalBinary(name []byte) error { return a.UnmarshalText(name) }

// UnmarshalText is [Parse].
func (a *Algorithm) UnmarshalText(name []byte) error {
	found, err := Parse(string(name))
	if err != nil {
		return err
	}
	*a = found
	return nil
}

// WithSize returns the same function with a digest of this many bytes. [ErrBadParameter].
func (a Algorithm) WithSize(bytes int) (Algorithm, error) {
	e, err := a.known()
	if err != nil {
		return Algorithm{}, err
	}
	if bytes < 0 || bytes > math.MaxInt32 {
		return Algorithm{}, failure(ErrBadParameter, "%s: a digest of %d bytes is impossible", e.name, bytes)
	}
	c, err := libWithSize(e.c, bytes)
	if err != nil {
		return Algorithm{}, err
	}
	return intern(c), nil
}

// WithSeed returns the same function with this seed. [ErrBadParameter].
func (a Algorithm) WithSeed(seed uint64) (Algorithm, error) {
	e, err := a.known()
	if err != nil {
		return Algorithm{}, err
	}
	c, err := libWithSeed(e.c, seed)
	if err != nil {
		return Algorithm{}, err
	}
	return intern(c), nil
}

// Size is the digest's length in bytes.
func (a Algorithm) Size() int { return a.must().facts.size }

// MinSize is the length of the shortest digest that [Algorithm.WithSize] accepts, in bytes.
func (a Algorithm) MinSize() int { return a.must().facts.minSize }

// MaxSize is the length of the longest digest that [Algorithm.WithSize] accepts, in bytes.
func (a Algorithm) MaxSize() int { return a.must().facts.maxSize }

// BlockSize is the length of the blocks that the function works on, in bytes, which HMAC uses; 1 if it has none.
func (a Algorithm) BlockSize() int { return a.must().facts.block }

// MaxKeySize is the length of the longest key in bytes; 0 if the algorithm takes none.
func (a Algorithm) MaxKeySize() int { return a.must().facts.maxKey }

// MaxSaltSize is the length of the longest salt in bytes; 0 if the algorithm takes none.
func (a Algorithm) MaxSaltSize() int { return a.must().facts.maxSalt }

// MaxPersonalSize is the length of the longest personalization in bytes; 0 if the algorithm takes none.
func (a Algorithm) MaxPersonalSize() int { return a.must().facts.maxPersonal }

// SeedBits is the number of bits of a seed; 0 if the algorithm takes none.
func (a Algorithm) SeedBits() int { return a.must().facts.seed }

// TakesContext reports whether keys can be derived with a context string ([WithContext]).
func (a Algorithm) TakesContext() bool { return a.must().facts.context }

// TakesBits reports whether messages may end within a byte ([Hash.WriteBits]).
func (a Algorithm) TakesBits() bool { return a.must().facts.bit }

// IsExtendable reports whether the algorithm has output of any length ([NewXOF]).
func (a Algorithm) IsExtendable() bool { return a.must().facts.extend }

// IsDivisible reports whether a message can be hashed in parts ([NewPart]).
func (a Algorithm) IsDivisible() bool { return a.must().facts.parts }

// Family is the family of the algorithm, such as "sha2".
func (a Algorithm) Family() string { return libText(a.must().c, textFamily, 0) }

// Specification names the document that defines the function.
func (a Algorithm) Specification() string { return libText(a.must().c, textSpecification, 0) }

// Year is the year of publication.
func (a Algorithm) Year() int { return a.must().facts.year }

// Aliases returns its other names.
func (a Algorithm) Aliases() []string {
	var names []string
	for c := a.must().c; ; {
		name := libText(c, textAlias, len(names))
		if name == "" {
			return names
		}
		names = append(names, name)
	}
}

// A Security says how far an algorithm can be trusted.
type Security int

// How far an algorithm can be trusted.
const (
	SecurityUnknown  Security = 0 // no algorithm was given
	Sound            Security = 1 // no collision can be found, as far as is known
	Weak             Security = 2 // there are doubts, or its digest is short
	Broken           Security = 3 // collisions have been found or can be
	NotCryptographic Security = 4 // a checksum: it tells errors, not attackers
)

// String returns a word or two: "sound", "not cryptographic".
func (s Security) String() string {
	if s < 0 || int(s) >= len(securities) {
		return "unknown"
	}
	return securities[s]
}

var securities = [...]string{"unknown", "sound", "weak", "broken", "not cryptographic"}

// Security says how far the algorithm can be trusted with these parameters.
func (a Algorithm) Security() Security { return Security(a.must().facts.security) }

// SecurityReason says why the algorithm is not sound; "" if it is.
func (a Algorithm) SecurityReason() string { return libText(a.must().c, textReason, 0) }

// CollisionBits is the base-2 logarithm of the work to find a collision; 0 for checksums.
func (a Algorithm) CollisionBits() int { return a.must().facts.collision }

// TellsFilesApart reports whether files with equal digests can be assumed to be equal, however many files there are, as
// long as nobody crafted them to collide.
func (a Algorithm) TellsFilesApart() bool { return a.must().facts.files }

// A Kernel is one implementation of an algorithm.
type Kernel struct {
	Name         string // "portable", "avx2x8"
	Lanes        int    // messages side by side
	FromMessages int    // SumMany uses it from so many messages on; 0 if it does not
	Available    bool   // this CPU can run it
	Active       bool   // one message runs on it here
}

// Kernels returns its implementations, in order of preference.
func (a Algorithm) Kernels() []Kernel { return libKernels(a.must().c) }

// Version is the version of the library, such as "0.1.0".
func Version() string { return libVersion() }
