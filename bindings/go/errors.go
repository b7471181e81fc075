package hashmill

import "fmt"

// A Kind says what went wrong. Its number is the same in every language and never changes. A Kind is itself an error,
// for [errors.Is]:
//
//	if errors.Is(err, hashmill.ErrUnknownAlgorithm) { … }
type Kind uint32

// What can go wrong.
const (
	ErrUnknownAlgorithm  Kind = 1  // no algorithm has this name; the message has the nearest
	ErrImpossibleName    Kind = 2  // a name with parameters that no algorithm has
	ErrAmbiguousName     Kind = 3  // a name that is used for several algorithms
	ErrBadParameter      Kind = 4  // a digest length, seed, salt, personalization or context that cannot be
	ErrBadKey            Kind = 5  // no key, or not one of this length
	ErrUnknownKernel     Kind = 6  // the algorithm has no such kernel
	ErrKernelUnavailable Kind = 7  // this CPU cannot run the kernel
	ErrWrongLength       Kind = 8  // a digest, or the room for one, of another length
	ErrWrongTotal        Kind = 9  // the room for many digests is not as long as they are
	ErrBadOffsets        Kind = 10 // offsets that are negative, descend, or point beyond the bytes
	ErrWrongPart         Kind = 11 // a part of another function or place
	ErrNotExtendable     Kind = 12 // a fixed digest has no further output
	ErrNotResumable      Kind = 13 // the hash cannot resume from a digest, or not from this one
	ErrBadState          Kind = 14 // bytes that are not an exported state
	ErrSecretState       Kind = 15 // the state of a hash with a key or a context is not exported
	ErrBadBits           Kind = 16 // no messages of bits, or not as many bytes as the bits take
	ErrBadArgument       Kind = 64 // nil where something has to be, an Algorithm that was never set
	ErrIO                Kind = 65 // reading failed
	ErrCancelled         Kind = 66 // the caller ended it
	ErrNoMemory          Kind = 67 // no memory for a new object
	ErrInternal          Kind = 68 // a fault of the library, which should be reported
	ErrNoLibrary         Kind = 69 // the library is of a version that this package was not made for
)

var kinds = map[Kind]string{
	ErrUnknownAlgorithm:  "unknown algorithm",
	ErrImpossibleName:    "impossible name",
	ErrAmbiguousName:     "ambiguous name",
	ErrBadParameter:      "bad parameter",
	ErrBadKey:            "bad key",
	ErrUnknownKernel:     "unknown kernel",
	ErrKernelUnavailable: "kernel unavailable",
	ErrWrongLength:       "wrong length",
	ErrWrongTotal:        "wrong total",
	ErrBadOffsets:        "bad offsets",
	ErrWrongPart:         "wrong part",
	ErrNotExtendable:     "not extendable",
	ErrNotResumable:      "not resumable",
	ErrBadState:          "bad state",
	ErrSecretState:       "secret state",
	ErrBadBits:           "bad bits",
	ErrBadArgument:       "bad argument",
	ErrIO:                "reading failed",
	ErrCancelled:         "cancelled",
	ErrNoMemory:          "no memory",
	ErrInternal:          "internal error",
	ErrNoLibrary:         "no fitting library",
}

// Error describes the kind in a few words.
func (k Kind) Error() string {
	if s, ok := kinds[k]; ok {
		return "hashmill: " + s
	}
	return fmt.Sprintf("hashmill: error %d", uint32(k))
}

// An Error is what the functions of this package return when they fail. Errors from readers are returned unchanged,
// those about files as *fs.PathError with the Kind [ErrIO], and those of a context as the context reports them.
type Error struct {
	Kind    Kind   // what went wrong
	Message string // one line that says what and where
}

// Error returns the message, prefixed with the package's name.
func (e *Error) Error() string { return "hashmill: " + e.Message }

// Unwrap returns the Kind, for errors.Is.
func (e *Error) Unwrap() error { return e.Kind }

func failure(k Kind, format string, arguments ...any) *Error {
	return &Error{k, fmt.Sprintf(format, arguments...)}
}
