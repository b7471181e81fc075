package hashmill

import (
	"hash"
	"io"
	"runtime"
)

// An XOF has output of any length: SHAKE, BLAKE3 and the like. It is a [hash.XOF]: what is written is the message,
// which the first Read completes. One goroutine may use it at a time.
type XOF struct {
	h   Hash
	out *output
}

var (
	_ hash.XOF        = (*XOF)(nil)
	_ io.StringWriter = (*XOF)(nil)
	_ io.ReaderFrom   = (*XOF)(nil)
)

// NewXOF makes an XOF for the algorithm with this name ([Parse]). [ErrNotExtendable] for a fixed digest;
// [ErrBadParameter] for [WithSize]: you can read as much output as you like, and its first bytes are the same for any
// length.
func NewXOF(name string, options ...Option) (*XOF, error) {
	a, err := Parse(name)
	if err != nil {
		return nil, err
	}
	return a.NewXOF(options...)
}

// NewXOF makes an XOF. [ErrNotExtendable] for a fixed digest; [ErrBadParameter] for [WithSize].
func (a Algorithm) NewXOF(options ...Option) (*XOF, error) {
	e, err := a.known()
	if err != nil {
		return nil, err
	}
	if !e.facts.extend {
		return nil, failure(ErrNotExtendable, "%s has no extendable output; its digest has %d bytes", a, a.Size())
	}
	var in inputs
	for _, set := range options {
		if set != nil {
			set(&in)
		}
	}
	if in.hasSize {
		return nil, failure(ErrBadParameter, "%s: output of any length has no size: WithSize is for New", a)
	}
	x := new(XOF)
	if err := x.h.make(a, options); err != nil {
		return nil, err
	}
	x.h.size = 0 // nobody asks for a digest
	return x, nil
}

func (a Algorithm) plainXOF() *XOF {
	x, err := a.NewXOF()
	if err != nil {
		panic(err)
	}
	return x
}

// Algorithm returns the algorithm.
func (x *XOF) Algorithm() Algorithm { return x.h.a }

func (x *XOF) writing() {
	if x.out != nil {
		panic("hashmill: Write after Read")
	}
}

// Write adds to the message. It panics after Read.
func (x *XOF) Write(p []byte) (int, error) {
	x.writing()
	return x.h.Write(p)
}

// WriteString adds to the message without copying it. It panics after Read.
func (x *XOF) WriteString(s string) (int, error) {
	x.writing()
	return x.h.WriteString(s)
}

// ReadFrom adds everything from r to the message, like [Hash.ReadFrom]. It panics after Read.
func (x *XOF) ReadFrom(r io.Reader) (int64, error) {
	x.writing()
	return x.h.ReadFrom(r)
}

// Read returns the next bytes of the output and always fills p. The error is always nil.
func (x *XOF) Read(p []byte) (int, error) {
	if x.out == nil {
		x.h.check()
		x.h.flush(nil)
		x.out = x.h.s.output()
		x.out.cleanUp()
		runtime.KeepAlive(x)
	}
	if len(p) > 0 {
		x.out.read(p)
		runtime.KeepAlive(x.out)
	}
	return len(p), nil
}

// Reset goes back to an empty message; the key and other options stay.
func (x *XOF) Reset() {
	x.out = nil
	x.h.Reset()
}

// BlockSize is the length of the blocks that the function works on, in bytes.
func (x *XOF) BlockSize() int { return x.h.BlockSize() }

// AppendBinary appends the state to b, like [Hash.AppendBinary]. [ErrBadState] after Read.
func (x *XOF) AppendBinary(b []byte) ([]byte, error) {
	if x.out != nil {
		return nil, failure(ErrBadState, "%s: output is being read, and its place is in no state", x.h.a)
	}
	return x.h.AppendBinary(b)
}

// MarshalBinary returns the state, like AppendBinary.
func (x *XOF) MarshalBinary() ([]byte, error) { return x.AppendBinary(nil) }

// UnmarshalBinary continues from a state, like [Hash.UnmarshalBinary]. [ErrNotExtendable] for one of a fixed digest.
func (x *XOF) UnmarshalBinary(state []byte) error {
	err := x.h.load(state, func(a Algorithm) error {
		if !a.IsExtendable() {
			return failure(ErrNotExtendable, "%s has no extendable output; its digest has %d bytes", a, a.Size())
		}
		return nil
	})
	if err == nil {
		x.out = nil
	}
	return err
}
