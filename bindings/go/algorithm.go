package hashmill

import (
	"iter"
	"math"
	"runtime"
	"sync"
	"weak"
)

// An Algorithm is a message digest or checksum with its parameters: digest length, rounds, seed. It is a plain value: two are
// equal (==) if they are the same function, whatever name they were found by. The zero Algorithm is none; it cannot be used.
//
// The variables of this package, such as [SHA256], are all there are, with their usual parameters; [Parse] finds them by name,
// and gives others.
type Algorithm struct{ e *entry }

// opaque is the library's own value of an algorithm: numbers only.
type opaque [4]uint64

// facts are what the library says of an algorithm in numbers.
type facts struct {
	size, minSize, maxSize, block      int
	maxKey, maxSalt, maxPersonal       int
	security, year, collision, seed    int
	context, files, extend, parts, bit bool
}

// An entry is one function; there is one of each, so that pointers tell them apart. It is loaded when it is first used: a
// program that imports the package pays for nothing else.
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

// must is for what fails only where a program is wrong.
func (a Algorithm) must() *entry {
	e, err := a.known()
	if err != nil {
		panic(err)
	}
	return e
}

// What has other parameters than usual is kept only as long as somebody has it: names may come from outside.
var interned = struct {
	sync.Mutex
	usual map[string]*entry
	other map[string]weak.Pointer[entry]
}{other: map[string]weak.Pointer[entry]{}}

// intern gives the one entry of the library's value.
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
	// There may be a new one of this name already.
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

// MustParse is Parse for names that stand in the program. It panics where there is no such algorithm.
func MustParse(name string) Algorithm {
	a, err := Parse(name)
	if err != nil {
		panic(err)
	}
	return a
}

// Algorithms are all there are, with their usual parameters, in the library's order.
func Algorithms() iter.Seq[Algorithm] {
	return func(yield func(Algorithm) bool) {
		for i := range entries {
			if !yield(Algorithm{&entries[i]}) {
				return
			}
		}
	}
}

// Name is the canonical name, which [Parse] understands; "" of the zero Algorithm.
func (a Algorithm) Name() string {
	if a.e == nil {
		return ""
	}
	return a.e.name
}

// String is the Name.
func (a Algorithm) String() string { return a.Name() }

// MarshalText gives the Name, for encoding/json and flags. The zero Algorithm has none: [ErrBadArgument]; where a field may be unset,
// its tag says omitzero.
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

// MarshalBinary gives the Name, for encoding/gob.
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

// WithSize is the same function with a digest of so many bytes. [ErrBadParameter].
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

// WithSeed is the same function with this seed. [ErrBadParameter].
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

// MinSize is the shortest digest that [Algorithm.WithSize] gives, in bytes.
func (a Algorithm) MinSize() int { return a.must().facts.minSize }

// MaxSize is the longest digest that [Algorithm.WithSize] gives, in bytes.
func (a Algorithm) MaxSize() int { return a.must().facts.maxSize }

// BlockSize is the length of the blocks that the function works on, in bytes: HMAC's block; 1 for what has none.
func (a Algorithm) BlockSize() int { return a.must().facts.block }

// MaxKeySize is the longest key in bytes; 0 if it takes none.
func (a Algorithm) MaxKeySize() int { return a.must().facts.maxKey }

// MaxSaltSize is the longest salt in bytes; 0 if it takes none.
func (a Algorithm) MaxSaltSize() int { return a.must().facts.maxSalt }

// MaxPersonalSize is the longest personalization in bytes; 0 if it takes none.
func (a Algorithm) MaxPersonalSize() int { return a.must().facts.maxPersonal }

// SeedBits is how many bits a seed has; 0 if it takes none.
func (a Algorithm) SeedBits() int { return a.must().facts.seed }

// TakesContext says whether keys can be derived with a context string ([WithContext]).
func (a Algorithm) TakesContext() bool { return a.must().facts.context }

// TakesBits says whether messages may end within a byte ([Hash.WriteBits]).
func (a Algorithm) TakesBits() bool { return a.must().facts.bit }

// IsExtendable says whether there is output of any length ([NewXOF]).
func (a Algorithm) IsExtendable() bool { return a.must().facts.extend }

// IsDivisible says whether a message can be hashed in parts ([NewPart]).
func (a Algorithm) IsDivisible() bool { return a.must().facts.parts }

// Family is what it belongs to, such as "sha2".
func (a Algorithm) Family() string { return libText(a.must().c, textFamily, 0) }

// Specification is where the function is defined.
func (a Algorithm) Specification() string { return libText(a.must().c, textSpecification, 0) }

// Year is when it was published.
func (a Algorithm) Year() int { return a.must().facts.year }

// Aliases are its other names.
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

// A Security says how far an algorithm may be trusted.
type Security int

// How far an algorithm may be trusted.
const (
	SecurityUnknown  Security = 0 // no algorithm was given
	Sound            Security = 1 // no collision can be found, as far as is known
	Weak             Security = 2 // there are doubts, or its digest is short
	Broken           Security = 3 // collisions have been found or can be
	NotCryptographic Security = 4 // a checksum: it tells errors, not attackers
)

// String is a word or two: "sound", "not cryptographic".
func (s Security) String() string {
	if s < 0 || int(s) >= len(securities) {
		return "unknown"
	}
	return securities[s]
}

var securities = [...]string{"unknown", "sound", "weak", "broken", "not cryptographic"}

// Security says how far it may be trusted, with these parameters.
func (a Algorithm) Security() Security { return Security(a.must().facts.security) }

// SecurityReason says why it is not sound; "" if it is.
func (a Algorithm) SecurityReason() string { return libText(a.must().c, textReason, 0) }

// CollisionBits is the work of finding a collision: 2 to the power of this; 0 for checksums.
func (a Algorithm) CollisionBits() int { return a.must().facts.collision }

// TellsFilesApart says whether two different files that nobody made for the purpose may be taken for equal if their digests
// are, however many there are.
func (a Algorithm) TellsFilesApart() bool { return a.must().facts.files }

// A Kernel is one implementation of an algorithm.
type Kernel struct {
	Name         string // "portable", "avx2x8"
	Lanes        int    // messages side by side
	FromMessages int    // SumMany uses it from so many messages on; 0 if it does not
	Available    bool   // this CPU can run it
	Active       bool   // one message runs on it here
}

// Kernels are its implementations, in the order of preference.
func (a Algorithm) Kernels() []Kernel { return libKernels(a.must().c) }

// Version is the library's, such as "0.1.0".
func Version() string { return libVersion() }
