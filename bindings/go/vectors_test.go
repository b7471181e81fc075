package hashmill

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// A vector is a line of the shared vectors (vectors/README.md).
type vector struct {
	Algorithm   string  `json:"algorithm"`
	MessageHex  string  `json:"message_hex"`
	Pattern     string  `json:"message_pattern"`
	Length      int     `json:"length"`
	UnitHex     string  `json:"unit_hex"`
	Count       int     `json:"count"`
	BitLength   *uint64 `json:"bit_length"`
	DigestHex   string  `json:"digest_hex"`
	KeyHex      *string `json:"key_hex"`
	SaltHex     string  `json:"salt_hex"`
	PersonalHex string  `json:"personal_hex"`
	Context     *string `json:"context"`
	Mode        string  `json:"mode"`
	Seed        *uint64 `json:"seed"`
	Monte       string  `json:"monte"`
	Cut         int     `json:"cut"`
	StateHex    string  `json:"state_hex"`

	where string
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// pattern returns n bytes, where byte i is i mod 251.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

func (v *vector) message(t testing.TB) []byte {
	switch v.Pattern {
	case "mod251":
		return pattern(v.Length)
	case "repeat":
		return bytes.Repeat(unhex(t, v.UnitHex), v.Count)
	}
	return unhex(t, v.MessageHex)
}

// folders returns the folder of the project's vectors, and the one that HASHMILL_VECTORS names.
func folders() []string {
	all := []string{"../../vectors"}
	if more := os.Getenv("HASHMILL_VECTORS"); more != "" {
		all = append(all, more)
	}
	return all
}

// vectors calls f with every line of the matching files.
func vectors(t *testing.T, pattern string, f func(v *vector)) {
	t.Helper()
	for _, folder := range folders() {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(file)
			lines.Buffer(nil, 64<<20)
			for n := 1; lines.Scan(); n++ {
				v := &vector{where: fmt.Sprintf("%s:%d", filepath.Base(name), n)}
				if err := json.Unmarshal(lines.Bytes(), v); err != nil {
					t.Fatalf("%s: %v", v.where, err)
				}
				f(v)
			}
			file.Close()
			if err := lines.Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// algorithm returns the vector's algorithm, with its length and seed.
func (v *vector) algorithm(t testing.TB) Algorithm {
	a, err := Parse(v.Algorithm)
	if err == nil && a.Size() != len(v.DigestHex)/2 {
		a, err = a.WithSize(len(v.DigestHex) / 2)
	}
	if err == nil && v.Seed != nil {
		a, err = a.WithSeed(*v.Seed)
	}
	if err != nil {
		t.Fatalf("%s: %v", v.where, err)
	}
	return a
}

func TestVectors(t *testing.T) {
	seen, lines, bits, left := map[string]bool{}, 0, 0, 0
	vectors(t, "*.jsonl", func(v *vector) {
		// Chains of a million digests are left to the library's own tests.
		if v.DigestHex == "" || v.Monte != "" {
			return
		}
		// Skips bits counted from the high end, as only the vectors of Keccak's submission have them.
		if v.BitLength != nil && strings.HasPrefix(v.Algorithm, "keccak") {
			return
		}
		// Published vectors of up to a gigabyte run only in the long tier, since every form of input hashes them.
		if v.Count*len(v.UnitHex)/2 > 4<<20 && os.Getenv("HASHMILL_TEST_TIER") != "long" {
			left++
			return
		}
		v.test(t)
		lines++
		if v.BitLength != nil {
			bits++
		}
		seen[MustParse(v.Algorithm).Name()] = true
	})
	t.Logf("%d vectors of %d algorithms, %d of bits, by %s; %d of more than 4 MiB are left to the long tier", lines, len(seen), bits, engine, left)
	if lines < 9000 || bits < 100 {
		t.Errorf("%d vectors and %d of bits are too few", lines, bits)
	}
	for a := range Algorithms() {
		if !seen[a.Name()] {
			t.Errorf("no vector of %s", a)
		}
	}
}

// test checks a vector in every form of input.
func (v *vector) test(t *testing.T) {
	a, m := v.algorithm(t), v.message(t)
	is := func(way string, digest []byte) {
		t.Helper()
		if hex.EncodeToString(digest) != v.DigestHex {
			t.Errorf("%s, %s: %s by %s is %x, not %s", v.where, a, engine, way, digest, v.DigestHex)
		}
	}
	no := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s, %s: %v", v.where, a, err)
		}
	}
	if v.Mode == "hmac" {
		v.testHMAC(t, a, m, is, no)
		return
	}
	var options []Option
	if v.KeyHex != nil {
		options = append(options, WithKey(unhex(t, *v.KeyHex)))
	}
	if v.SaltHex != "" {
		options = append(options, WithSalt(unhex(t, v.SaltHex)))
	}
	if v.PersonalHex != "" {
		options = append(options, WithPersonal(unhex(t, v.PersonalHex)))
	}
	if v.Context != nil {
		options = append(options, WithContext(*v.Context))
	}
	h, err := a.New(options...)
	no(err)
	if v.BitLength != nil {
		no(h.WriteBits(m, *v.BitLength))
		is("bits", h.Sum(nil))
		return
	}
	h.Write(m)
	is("Write", h.Sum(nil))
	is("Sum again", h.Sum([]byte("x"))[1:])
	h.Reset()
	var half hash.Hash
	for at, n := 0, 1; at < len(m); n = n%67 + 1 {
		n = min(n, len(m)-at)
		h.WriteString(string(m[at : at+n]))
		if at += n; half == nil && at > len(m)/2 {
			c, err := h.Clone()
			no(err)
			half = c
			half.Write(m[at:])
			is("Clone", half.Sum(nil))
		}
	}
	is("pieces", h.Sum(nil))
	h.Reset()
	n, err := io.Copy(h, iotest.HalfReader(bytes.NewReader(m)))
	no(err)
	if n != int64(len(m)) {
		t.Errorf("%s: copied %d bytes of %d", v.where, n, len(m))
	}
	is("ReadFrom", h.Sum(nil))
	if a.IsExtendable() {
		x, err := a.NewXOF(options...)
		no(err)
		x.Write(m)
		out := make([]byte, a.Size())
		x.Read(out[:len(out)/3])
		x.Read(out[len(out)/3:])
		is("XOF", out)
	}
	if len(options) > 0 {
		return
	}
	is("Sum", Sum(a, m))
	is("SumString", SumString(a, string(m)))
	digest, err := SumReader(a, iotest.OneByteReader(bytes.NewReader(m[:min(len(m), 300)])))
	no(err)
	if len(m) <= 300 {
		is("SumReader", digest)
	}
	h.Reset()
	h.Write(m[:len(m)/3])
	state, err := h.MarshalBinary()
	no(err)
	var other Hash
	no(other.UnmarshalBinary(state))
	other.Write(m[len(m)/3:])
	is("UnmarshalBinary", other.Sum(nil))
	many := SumMany(a, [][]byte{m, m[:len(m)/2], nil, m})
	is("SumMany", many[0])
	is("SumMany", many[3])
	column, err := AppendColumn(nil, a, []int32{0, int32(len(m)), int32(len(m))}, m)
	no(err)
	is("AppendColumn", column[:a.Size()])
}

func (v *vector) testHMAC(t *testing.T, a Algorithm, m []byte, is func(string, []byte), no func(error)) {
	key := unhex(t, *v.KeyHex)
	h, err := NewHMAC(a, key)
	no(err)
	h.Write(m)
	is("HMAC", h.Sum(nil))
	want := unhex(t, v.DigestHex)
	if !h.Verify(want) || h.Verify(want[:len(want)-1]) || h.Verify(nil) || h.Verify(append(want[:len(want):len(want)], 0)) {
		t.Errorf("%s: Verify", v.where)
	}
	h.Reset()
	h.Write(m[:len(m)/2])
	c, err := h.Clone()
	no(err)
	h.WriteString(string(m[len(m)/2:]))
	c.Write(m[len(m)/2:])
	is("HMAC, Reset", h.Sum(nil))
	is("HMAC, Clone", c.Sum(nil))
	// Go's own HMAC over our digest.
	theirs := hmac.New(func() hash.Hash { return a.plain() }, key)
	theirs.Write(m)
	is("crypto/hmac", theirs.Sum(nil))
}

// States of every algorithm, written by another language and version.
func TestStates(t *testing.T) {
	lines := 0
	vectors(t, "states/*.jsonl", func(v *vector) {
		lines++
		m := pattern(v.Length)
		var h Hash
		if err := h.UnmarshalBinary(unhex(t, v.StateHex)); err != nil {
			t.Fatalf("%s: %v", v.where, err)
		}
		back, err := h.AppendBinary([]byte("x"))
		if err != nil || hex.EncodeToString(back[1:]) != v.StateHex {
			t.Errorf("%s: the state comes back as %x, %v", v.where, back, err)
		}
		h.Write(m[v.Cut:])
		if got := hex.EncodeToString(h.Sum(nil)); got != v.DigestHex {
			t.Errorf("%s: %s, not %s", v.where, got, v.DigestHex)
		}
	})
	if lines < 100 {
		t.Errorf("%d states are too few", lines)
	}
}

var (
	_ encoding.BinaryMarshaler   = (*Hash)(nil)
	_ encoding.BinaryAppender    = (*Hash)(nil)
	_ encoding.BinaryUnmarshaler = (*Hash)(nil)
	_ encoding.BinaryUnmarshaler = (*Hash64)(nil)
	_ encoding.TextUnmarshaler   = (*Algorithm)(nil)
)
