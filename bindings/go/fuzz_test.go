package hashmill

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"hash/crc64"
	"hash/fnv"
	"testing"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
	//lint:ignore SA1019 it is what is compared with
	"golang.org/x/crypto/md4"
	//lint:ignore SA1019 it is what is compared with
	"golang.org/x/crypto/ripemd160"
)

// without adapts a constructor that cannot fail without a key.
func without(f func([]byte) (hash.Hash, error)) func() hash.Hash {
	return func() hash.Hash {
		h, err := f(nil)
		if err != nil {
			panic(err)
		}
		return h
	}
}

// others are Go's implementations of our algorithms.
var others = []struct {
	name   string
	theirs func() hash.Hash
}{
	{"md4", md4.New},
	{"md5", md5.New},
	{"sha1", sha1.New},
	{"sha224", sha256.New224},
	{"sha256", sha256.New},
	{"sha384", sha512.New384},
	{"sha512", sha512.New},
	{"sha512-224", sha512.New512_224},
	{"sha512-256", sha512.New512_256},
	{"sha3-224", func() hash.Hash { return sha3.New224() }},
	{"sha3-256", func() hash.Hash { return sha3.New256() }},
	{"sha3-384", func() hash.Hash { return sha3.New384() }},
	{"sha3-512", func() hash.Hash { return sha3.New512() }},
	{"ripemd160", ripemd160.New},
	{"blake2b", without(blake2b.New512)},
	{"blake2b:32", without(blake2b.New256)},
	{"blake2s", without(blake2s.New256)},
	{"adler32", func() hash.Hash { return adler32.New() }},
	{"crc32", func() hash.Hash { return crc32.NewIEEE() }},
	{"crc32c", func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }},
	{"crc64-xz", func() hash.Hash { return crc64.New(crc64.MakeTable(crc64.ECMA)) }},
	{"crc64-go-iso", func() hash.Hash { return crc64.New(crc64.MakeTable(crc64.ISO)) }},
	{"fnv132", func() hash.Hash { return fnv.New32() }},
	{"fnv1a32", func() hash.Hash { return fnv.New32a() }},
	{"fnv164", func() hash.Hash { return fnv.New64() }},
	{"fnv1a64", func() hash.Hash { return fnv.New64a() }},
}

// agree compares our digests with Go's in every way that both support.
func agree(t *testing.T, which int, m []byte, cut int) {
	o := others[which%len(others)]
	a := MustParse(o.name)
	cut = min(max(cut, 0), len(m))
	theirs := o.theirs()
	theirs.Write(m)
	want := theirs.Sum(nil)
	ours := a.plain()
	ours.Write(m[:cut])
	c, _ := ours.Clone()
	ours.Write(m[cut:])
	c.Write(m[cut:])
	var loaded Hash
	half := a.plain()
	half.Write(m[:cut])
	state, err := half.MarshalBinary()
	if err != nil || loaded.UnmarshalBinary(state) != nil {
		t.Fatalf("%s: %v", o.name, err)
	}
	loaded.Write(m[cut:])
	many := SumMany(a, [][]byte{m[cut:], m})
	for way, got := range map[string][]byte{
		"Write": ours.Sum(nil), "Clone": c.Sum(nil), "UnmarshalBinary": loaded.Sum(nil), "Sum": Sum(a, m), "SumMany": many[1],
	} {
		if !bytes.Equal(got, want) {
			t.Errorf("%s of %d bytes by %s: %x, not %x", o.name, len(m), way, got, want)
		}
	}
	if a.Security() == NotCryptographic {
		return
	}
	mine, err := NewHMAC(a, m[:cut])
	if err != nil {
		t.Fatal(err)
	}
	mine.Write(m[cut:])
	code := hmac.New(o.theirs, m[:cut])
	code.Write(m[cut:])
	if !mine.Verify(code.Sum(nil)) {
		t.Errorf("HMAC-%s", o.name)
	}
}

func TestAgree(t *testing.T) {
	m := pattern(5000)
	for which := range others {
		for _, n := range []int{0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 136, 1000, 5000} {
			agree(t, which, m[:n], n/3)
		}
	}
}

func FuzzHash(f *testing.F) {
	for which := range others {
		f.Add(which, pattern(200), 64)
	}
	f.Fuzz(func(t *testing.T, which int, m []byte, cut int) { agree(t, max(which, 0), m, cut) })
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"sha256", "skein512-224", "shake128:64", "xxh64:seed=7", "cubehash160+16/32+160-512", "crc16-ccitt", "\x00", "sha256\xff"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		a, err := Parse(name)
		if err != nil {
			return
		}
		if b, err := Parse(a.Name()); err != nil || a != b {
			t.Errorf("%q is %q, which is %v, %v", name, a, b, err)
		}
		h := a.plain()
		h.WriteString("abc")
		if len(h.Sum(nil)) != a.Size() {
			t.Errorf("%q: the digest has not %d bytes", name, a.Size())
		}
	})
}

func FuzzState(f *testing.F) {
	for _, a := range []Algorithm{MD5, SHA3_256, BLAKE3, XXH3, CRC32, BLAKE2B_512} {
		h := a.plain()
		h.Write(pattern(1000))
		state, _ := h.MarshalBinary()
		f.Add(state)
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		var h Hash
		if h.UnmarshalBinary(state) != nil {
			return
		}
		back, err := h.MarshalBinary()
		if err != nil || !bytes.Equal(back, state) {
			t.Errorf("%x comes back as %x, %v", state, back, err)
		}
		h.Write(pattern(300))
		h.Sum(nil)
		h.Reset()
		h.Write([]byte("abc"))
		h.Sum(nil)
	})
}
