package hashmill

import "runtime"

// A Part is a part of a message, hashed separately from the rest, perhaps on another goroutine or machine. It records
// its algorithm and its place. Any number of goroutines may use it.
type Part struct {
	_ noCopy
	p part
}

// NewPart hashes the part of a message that begins at byte place: BLAKE3, XXH3, CRCs and Adler-32
// ([Algorithm.IsDivisible]). It must have the length given to [NewParts]. [ErrBadParameter] for other algorithms.
func NewPart(a Algorithm, place uint64, data []byte) (*Part, error) {
	e, err := a.known()
	if err != nil {
		return nil, err
	}
	p := new(Part)
	if err := p.p.make(e.c, place, data); err != nil {
		return nil, err
	}
	p.p.cleanUp(p)
	return p, nil
}

// Parts combines the parts of one message. One goroutine may use it at a time.
type Parts struct {
	_ noCopy
	a Algorithm
	p parts
}

// NewParts begins a message in parts of the given number of bytes, a power of two and at least 4096; the last may be
// shorter. [ErrBadParameter] if the algorithm has no parts, or none of this length.
func NewParts(a Algorithm, bytes int) (*Parts, error) {
	e, err := a.known()
	if err != nil {
		return nil, err
	}
	if bytes < 0 {
		return nil, failure(ErrBadParameter, "%s: parts of %d bytes", a, bytes)
	}
	p := &Parts{a: a}
	if err := p.p.make(e.c, bytes); err != nil {
		return nil, err
	}
	p.p.cleanUp(p)
	return p, nil
}

// Push adds the next part. [ErrWrongPart] if it has another place, length or function.
func (p *Parts) Push(next *Part) error {
	if next == nil {
		return failure(ErrBadArgument, "the part is nil")
	}
	defer runtime.KeepAlive(p)
	defer runtime.KeepAlive(next)
	return p.p.push(&next.p)
}

// Sum appends the digest to b; last is what comes after the last whole part. Another part may follow. [ErrWrongPart].
func (p *Parts) Sum(b, last []byte) ([]byte, error) {
	b, room := extend(b, p.a.Size())
	defer runtime.KeepAlive(p)
	if err := p.p.final(last, room); err != nil {
		return nil, err
	}
	return b, nil
}
