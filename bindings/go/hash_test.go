package hashmill

import (
	"bytes"
	"context"
	"crypto"
	"crypto/md5"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// expect checks that err is of this kind, and that its message is one line that contains part.
func expect(t *testing.T, err error, kind Kind, part string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, but should be %v: %s", kind, part)
		return
	}
	if !errors.Is(err, kind) {
		t.Errorf("%v is not %v", err, kind)
	}
	if !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%q has no %q, or several lines", err, part)
	}
}

func TestNames(t *testing.T) {
	a, err := Parse("SHA2-256")
	if err != nil || a != SHA256 || a.Name() != "sha256" || fmt.Sprint(a) != "sha256" {
		t.Error(a, err)
	}
	if a.Size() != 32 || a.BlockSize() != 64 || a.Security() != Sound || a.Year() < 2001 || a.CollisionBits() != 128 || !a.TellsFilesApart() {
		t.Error("the facts of sha256")
	}
	if !strings.Contains(a.Specification(), "180") || a.Family() == "" || len(a.Aliases()) == 0 {
		t.Error(a.Specification(), a.Family(), a.Aliases())
	}
	for _, name := range a.Aliases() {
		if MustParse(name) != a {
			t.Error(name)
		}
	}
	one, two := MustParse("xxh64:seed=7"), MustParse("XXH64:seed=7")
	if one != two || one == XXH64 {
		t.Error("two that are the same function are not equal")
	}
	if seeded, err := XXH64.WithSeed(7); err != nil || seeded != one {
		t.Error(seeded, err)
	}
	if zero, err := one.WithSeed(0); err != nil || zero != XXH64 {
		t.Error(zero, err)
	}
	if sized, err := SHAKE128.WithSize(64); err != nil || sized != MustParse("shake128:64") || sized.Size() != 64 {
		t.Error(sized, err)
	}
	if MD5.Security() != Broken || CRC32.Security() != NotCryptographic || MD5.SecurityReason() == "" || Broken.String() != "broken" || Security(9).String() != "unknown" {
		t.Error("security")
	}
	n := 0
	for a := range Algorithms() {
		n++
		if MustParse(a.Name()) != a || a.Size() < a.MinSize() || a.Size() > a.MaxSize() || a.Specification() == "" {
			t.Error(a)
		}
		active := 0
		for _, k := range a.Kernels() {
			if k.Active {
				active++
				if !k.Available {
					t.Error(a, k)
				}
			}
		}
		if active != 1 {
			t.Errorf("%s has %d active kernels", a, active)
		}
	}
	if n < 200 {
		t.Error(n, "algorithms")
	}
	for range Algorithms() {
		break
	}
	if Version() == "" {
		t.Error("no version")
	}
	data, err := json.Marshal(map[string]Algorithm{"a": Whirlpool()})
	if err != nil || string(data) != `{"a":"whirlpool"}` {
		t.Error(string(data), err)
	}
	var back map[string]Algorithm
	if err := json.Unmarshal([]byte(`{"a":"SHA-1"}`), &back); err != nil || back["a"] != SHA1 {
		t.Error(back, err)
	}
	expect(t, json.Unmarshal([]byte(`{"a":"nonesuch"}`), &back), ErrUnknownAlgorithm, "nonesuch")
	var stream bytes.Buffer
	var fromGob Algorithm
	if err := gob.NewEncoder(&stream).Encode(one); err != nil {
		t.Error(err)
	}
	if err := gob.NewDecoder(&stream).Decode(&fromGob); err != nil || fromGob != one {
		t.Error(fromGob, err)
	}
	if text, err := SHA256.AppendText([]byte("x ")); err != nil || string(text) != "x sha256" {
		t.Error(string(text), err)
	}
}

// A digest computed early, with the first bytes of a message, must not be returned for a longer message.
func TestEarlyDigests(t *testing.T) {
	message := make([]byte, 3*earlyFrom)
	for i := range message {
		message[i] = byte(i * i >> 3)
	}
	for a := range Algorithms() {
		for _, first := range []int{earlyFrom - 1, earlyFrom, earlyFrom + 1, 2 * earlyFrom} {
			for _, before := range []int{0, 7, bufferSize} {
				is := func(h hash.Hash, n int, what string) {
					t.Helper()
					if got, want := h.Sum(nil), Sum(a, message[:n]); !bytes.Equal(got, want) {
						t.Fatalf("%s, %d and %d bytes, %s: %x, not %x", a, before, first, what, got, want)
					}
				}
				h, n := a.plain(), before+first
				write := func(h *Hash) { h.Write(message[:before]); h.Write(message[before:n]) }
				write(h)
				is(h, n, "the digest")
				is(h, n, "the digest again")
				h.Reset()
				is(h, 0, "after Reset")
				write(h)
				h.Write(nil)
				is(h, n, "after nothing")
				h.Write(message[n : n+1])
				is(h, n+1, "and a byte")
				h.Reset()
				write(h)
				clone := h.clone()
				h.Write(message[n : n+earlyFrom/2])
				is(h, n+earlyFrom/2, "and more")
				is(clone, n, "a clone")
				clone.Reset()
				write(clone)
				if state, err := clone.MarshalBinary(); err != nil {
					t.Fatal(a, err)
				} else if err := h.UnmarshalBinary(state); err != nil {
					t.Fatal(a, err)
				}
				is(clone, n, "after its state was taken")
				is(h, n, "from a state")
				h.Reset()
				write(h)
				if a.TakesBits() {
					if err := h.WriteBits(message[:1], 8); err != nil {
						t.Fatal(a, err)
					}
					if got, want := h.Sum(nil), Sum(a, append(slices.Clone(message[:n]), message[0])); !bytes.Equal(got, want) {
						t.Fatalf("%s: and eight bits: %x, not %x", a, got, want)
					}
				}
			}
		}
	}
	// Digests longer than the buffer, and options.
	long, err := New("shake256", WithSize(2*bufferSize))
	if err != nil {
		t.Fatal(err)
	}
	long.Write(message)
	if got, want := long.Sum(nil), Sum(long.Algorithm(), message); !bytes.Equal(got, want) {
		t.Errorf("%x, not %x", got, want)
	}
	keyed, err := New("blake2b", WithKey([]byte("key")))
	if err != nil {
		t.Fatal(err)
	}
	keyed.Write(message)
	once := keyed.Sum(nil)
	keyed.Reset()
	for i := range message {
		keyed.Write(message[i : i+1])
	}
	if got := keyed.Sum(nil); !bytes.Equal(got, once) {
		t.Errorf("%x, not %x", got, once)
	}
}

func Whirlpool() Algorithm { return MustParse("whirlpool") }

// Algorithms with other than the usual parameters are not kept forever.
func TestNamesAreForgotten(t *testing.T) {
	for i := range 20_000 {
		MustParse(fmt.Sprintf("xxh64:seed=%d", i))
	}
	for range 100 {
		runtime.GC()
		interned.Lock()
		n := len(interned.other)
		interned.Unlock()
		if n < 1000 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("20 000 names are still there")
}

func TestErrors(t *testing.T) {
	_, err := New("sha265")
	expect(t, err, ErrUnknownAlgorithm, "did you mean sha256?")
	_, err = New("sha256\x00")
	expect(t, err, ErrUnknownAlgorithm, `sha256\x00`)
	_, err = New("skein512-7")
	expect(t, err, ErrImpossibleName, "skein512-7")
	_, err = New("crc16-ccitt")
	expect(t, err, ErrAmbiguousName, "crc16-ccitt")
	_, err = MD5.WithSize(8)
	expect(t, err, ErrBadParameter, "md5")
	_, err = MD5.WithSize(-1)
	expect(t, err, ErrBadParameter, "md5")
	_, err = MD5.WithSize(int(^uint(0) >> 1))
	expect(t, err, ErrBadParameter, "md5")
	_, err = New("shake128:4294967296")
	expect(t, err, ErrBadParameter, "4294967296 bytes is impossible")
	_, err = New("shake128:99999999999999999999")
	expect(t, err, ErrBadParameter, "99999999999999999999 bytes is impossible")
	_, err = NewHMAC(MustParse("cubehash512"), make([]byte, 33))
	expect(t, err, ErrBadKey, "33")
	_, err = MD5.WithSeed(8)
	expect(t, err, ErrBadParameter, "md5")
	_, err = New("md5", WithKey([]byte("key")))
	expect(t, err, ErrBadKey, "md5")
	_, err = New("siphash-2-4", WithKey([]byte("key")))
	expect(t, err, ErrBadKey, "16 bytes")
	_, err = New("blake3", WithKey(nil))
	expect(t, err, ErrBadKey, "blake3")
	_, err = New("md5", WithKernel("portabel"))
	expect(t, err, ErrUnknownKernel, "portabel")
	_, err = New("md5", WithKernel("portable\x00"))
	expect(t, err, ErrUnknownKernel, "portable")
	_, err = New("blake2b", WithSalt(make([]byte, 17)))
	expect(t, err, ErrBadParameter, "17")
	_, err = New("md5", ResumeFrom(make([]byte, 16)))
	expect(t, err, ErrNotResumable, "md5")
	_, err = New("crc32", ResumeFrom(nil))
	expect(t, err, ErrWrongLength, "crc32")
	_, err = New("md5", nil, ResumeFrom([]byte{}))
	expect(t, err, ErrWrongLength, "md5")
	h, _ := New("sha1")
	expect(t, h.WriteBits([]byte{1, 2, 3}, 8), ErrBadBits, "3")
	expect(t, h.WriteBits(nil, 8), ErrBadBits, "0")
	_, err = AppendColumn(nil, MD5, []int32{-1}, make([]byte, 5))
	expect(t, err, ErrBadOffsets, "offset 0 is -1")
	if _, err = NewParts(BLAKE3, 1<<31-1); err == nil {
		t.Error("parts of an odd length")
	}
	_, err = New("xxh32", WithSeed(1<<40))
	expect(t, err, ErrBadParameter, "xxh32")
	_, err = New("sha256", WithSize(31))
	expect(t, err, ErrBadParameter, "sha256")
	_, err = NewXOF("shake128", WithSize(9))
	expect(t, err, ErrBadParameter, "WithSize")
	_, err = NewXOF("sha256")
	expect(t, err, ErrNotExtendable, "sha256")
	_, err = NewHMAC(CRC32, nil)
	expect(t, err, ErrBadKey, "crc32")
	_, err = New32("sha256")
	expect(t, err, ErrWrongLength, "32 bytes")
	_, err = New64("sha256")
	expect(t, err, ErrWrongLength, "32 bytes")
	_, err = Combine(MD5, make([]byte, 16), make([]byte, 16), 1)
	expect(t, err, ErrNotResumable, "md5")
	_, err = Combine(CRC32, make([]byte, 3), make([]byte, 4), 1)
	expect(t, err, ErrWrongLength, "3")
	_, err = AppendColumn(nil, MD5, []int32{0, 5, 3}, make([]byte, 5))
	expect(t, err, ErrBadOffsets, "offset 2 is 3")
	_, err = AppendColumn(nil, MD5, []int64{-1, 3}, make([]byte, 5))
	expect(t, err, ErrBadOffsets, "offset 0 is -1")
	_, err = AppendColumn(nil, MD5, []uint64{0, 1 << 63}, make([]byte, 5))
	expect(t, err, ErrBadOffsets, "offset 1")
	_, err = AppendColumn(nil, MD5, []uint32{}, nil)
	expect(t, err, ErrBadOffsets, "no offsets")
	_, err = NewParts(MD5, 4096)
	expect(t, err, ErrBadParameter, "md5")
	_, err = NewParts(CRC32, -1)
	expect(t, err, ErrBadParameter, "crc32")
	_, err = NewPart(MD5, 0, nil)
	expect(t, err, ErrBadParameter, "md5")
	_, err = (&Hash{}).ReadFrom(nil)
	expect(t, err, ErrBadArgument, "nil")
	_, err = SumReader(MD5, nil)
	expect(t, err, ErrBadArgument, "nil")

	var none Algorithm
	_, err = none.New()
	expect(t, err, ErrBadArgument, "never set")
	_, err = NewHMAC(none, nil)
	expect(t, err, ErrBadArgument, "never set")
	_, err = SumFile(none, "/dev/null")
	expect(t, err, ErrBadArgument, "never set")
	if none.Name() != "" {
		t.Error(none.Name())
	}
	for what, call := range map[string]func(){
		"Sum":       func() { Sum(none, nil) },
		"SumMany":   func() { SumMany(none, nil) },
		"Size":      func() { none.Size() },
		"zero Hash": func() { new(Hash).Write([]byte("x")) },
		"zero HMAC": func() { new(HMAC).Write([]byte("x")) },
		"MustParse": func() { MustParse("nonesuch") },
		"zero XOF":  func() { new(XOF).Read(make([]byte, 1)) },
		"zero Sum":  func() { new(Hash).Sum(nil) },
		"zero bits": func() { new(Hash).WriteBits([]byte{1}, 9) },
		"zero code": func() { new(HMAC).Sum(nil) },
		"copied Hash": func() {
			h := NewMD5()
			h.Write(make([]byte, 5000))
			copied(h.(*Hash)).Sum(nil)
		},
		"copied Hash, state": func() { copied(NewMD5().(*Hash)).UnmarshalBinary(nil) },
		"copied HMAC": func() {
			m, err := NewHMAC(SHA256, []byte("key"))
			if err != nil {
				t.Fatal(err)
			}
			copied(m).Sum(nil)
		},
	} {
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "hashmill: ") {
					t.Errorf("%s: %v", what, err)
				}
			}()
			call()
			t.Errorf("%s: no panic", what)
		}()
	}
	if ErrBadKey.Error() != "hashmill: bad key" || Kind(99).Error() != "hashmill: error 99" {
		t.Error(ErrBadKey, Kind(99))
	}
	var e *Error
	if !errors.As(err, &e) || e.Kind != ErrBadArgument {
		t.Error(err)
	}
}

// copied returns a copy of a value of the kind that vet warns about.
func copied[T any](from *T) *T {
	to := new(T)
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem())
	return to
}

// The constructors return the promised types, and the names are those of the C library.
func TestConstructors(t *testing.T) {
	var h32 hash.Hash32 = NewCRC32()
	h32.Write([]byte("123456789"))
	if h32.Sum32() != crc32.ChecksumIEEE([]byte("123456789")) {
		t.Errorf("%08x", h32.Sum32())
	}
	var h64 hash.Hash64 = NewXXH64()
	if h64.Sum64() != 0xef46db3751d8e999 {
		t.Errorf("%016x", h64.Sum64())
	}
	small, err := New32("crc16-modbus")
	if err != nil {
		t.Fatal(err)
	}
	small.WriteString("123456789")
	if small.Sum32() != 0x4b37 {
		t.Errorf("%04x", small.Sum32())
	}
	c, _ := small.Clone()
	if c.(hash.Hash32).Sum32() != 0x4b37 {
		t.Error("the clone of a Hash32")
	}
	c, _ = h64.(hash.Cloner).Clone()
	if c.(hash.Hash64).Sum64() != 0xef46db3751d8e999 {
		t.Error("the clone of a Hash64")
	}
	state, _ := small.MarshalBinary()
	var again Hash32
	if err := again.UnmarshalBinary(state); err != nil || again.Sum32() != 0x4b37 {
		t.Error(err)
	}
	state, _ = NewSHA1().(*Hash).MarshalBinary()
	expect(t, new(Hash32).UnmarshalBinary(state), ErrWrongLength, "sha1")
	expect(t, new(Hash64).UnmarshalBinary(state), ErrWrongLength, "sha1")
	expect(t, NewMD5().(*Hash).UnmarshalBinary(state), ErrBadState, "sha1, not of md5")
	expect(t, NewSHAKE128XOF().UnmarshalBinary(state), ErrBadState, "sha1, not of shake128")
	expect(t, new(XOF).UnmarshalBinary(state), ErrNotExtendable, "sha1")
	var x hash.XOF = NewSHAKE128XOF()
	x.Write([]byte("abc"))
	out := make([]byte, 200)
	io.ReadFull(x, out)
	if !bytes.Equal(out[:16], Sum(MustParse("shake128:16"), []byte("abc"))) {
		t.Errorf("%x", out)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("Write after Read does not panic")
			}
		}()
		x.Write(nil)
	}()
	_, err = x.(*XOF).MarshalBinary()
	expect(t, err, ErrBadState, "shake128")
	x.Reset()
	x.Write([]byte("abc"))
	half, _ := x.(*XOF).MarshalBinary()
	again2 := NewSHAKE128XOF()
	if err := again2.UnmarshalBinary(half); err != nil {
		t.Error(err)
	}
	more := make([]byte, 200)
	again2.Read(more)
	if !bytes.Equal(out, more) {
		t.Error("an XOF that goes on is another")
	}
}

func TestCRCsGoOn(t *testing.T) {
	a, b := []byte("123"), []byte("456789")
	h, err := New("crc32", ResumeFrom(Sum(CRC32, a)))
	if err != nil {
		t.Fatal(err)
	}
	h.Write(b)
	whole := Sum(CRC32, append(a[:len(a):len(a)], b...))
	if !Equal(h.Sum(nil), whole) {
		t.Errorf("%x, not %x", h.Sum(nil), whole)
	}
	both, err := Combine(CRC32, Sum(CRC32, a), Sum(CRC32, b), uint64(len(b)))
	if err != nil || !Equal(both, whole) || Equal(both, whole[:3]) || Equal(both, make([]byte, 4)) {
		t.Errorf("%x, not %x: %v", both, whole, err)
	}
}

func TestParts(t *testing.T) {
	m := pattern(100_000)
	for _, a := range []Algorithm{BLAKE3, CRC32, ADLER32} {
		const size = 8192
		all, err := NewParts(a, size)
		if err != nil {
			t.Fatal(err)
		}
		list := make([]*Part, len(m)/size)
		var wait sync.WaitGroup
		for i := range list {
			wait.Go(func() {
				var err error
				if list[i], err = NewPart(a, uint64(i)*size, m[i*size:(i+1)*size]); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		expect(t, all.Push(list[1]), ErrWrongPart, a.Name())
		expect(t, all.Push(nil), ErrBadArgument, "nil")
		for _, p := range list {
			if err := all.Push(p); err != nil {
				t.Fatal(err)
			}
		}
		digest, err := all.Sum(nil, m[len(list)*size:])
		if err != nil || !bytes.Equal(digest, Sum(a, m)) {
			t.Errorf("%s: %x, %v", a, digest, err)
		}
	}
}

func TestKeys(t *testing.T) {
	h, err := New("blake2b", WithKey([]byte("key")), WithSalt([]byte("salt")), WithPersonal([]byte("p")), WithSize(20))
	if err != nil {
		t.Fatal(err)
	}
	h.Write([]byte("abc"))
	first := h.Sum(nil)
	if len(first) != 20 || h.Size() != 20 || h.Algorithm().Size() != 20 {
		t.Errorf("%x", first)
	}
	_, err = h.MarshalBinary()
	expect(t, err, ErrSecretState, "blake2b")
	plain, _ := NewBLAKE2B_512().(*Hash).MarshalBinary()
	expect(t, h.UnmarshalBinary(plain), ErrSecretState, "blake2b")
	c, _ := h.Clone()
	h.Reset()
	h.Write([]byte("abc"))
	if !bytes.Equal(first, h.Sum(nil)) || !bytes.Equal(first, c.Sum(nil)) {
		t.Error("the key is lost")
	}
	// The library frees its copy of a key with the owner.
	for range 10_000 {
		h, err := New("blake2b", WithKey([]byte("key")))
		if err != nil {
			t.Fatal(err)
		}
		c, _ := h.Clone()
		c.Write([]byte("abc"))
	}
	for _, k := range SHA256.Kernels() {
		h, err := New("sha256", WithKernel(k.Name))
		if !k.Available {
			expect(t, err, ErrKernelUnavailable, k.Name)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		h.Write([]byte("abc"))
		want := sha256.Sum256([]byte("abc"))
		if !bytes.Equal(h.Sum(nil), want[:]) {
			t.Error(k.Name)
		}
	}
}

// Byte slices may be part of an object that also contains pointers.
func TestBytesBesidePointers(t *testing.T) {
	type node struct {
		next *node
		b    [4200]byte
	}
	n := &node{}
	n.next = n
	b := n.b[:]
	m, err := NewHMAC(MD5, b[:9])
	if err != nil {
		t.Fatal(err)
	}
	m.Write(b)
	m.Sum(b[:0])
	m.Verify(b[:16])
	if _, err := New("blake2b", WithKey(b[:9]), WithSalt(b[:16]), WithPersonal(b[16:32])); err != nil {
		t.Error(err)
	}
	if _, err := New("crc32", ResumeFrom(b[:4])); err != nil {
		t.Error(err)
	}
	if !Equal(b[:9], b[:9]) || Equal(b[:9], b[:8]) || !Equal(nil, []byte{}) || Equal(nil, b) {
		t.Error("Equal")
	}
	if _, err := Combine(CRC32, b[:4], b[4:8], 3); err != nil {
		t.Error(err)
	}
	h := NewSHA1().(*Hash)
	h.Write(b)
	h.WriteBits(b[:1], 3)
	h.Reset()
	if state, err := h.AppendBinary(b[:0]); err != nil || h.UnmarshalBinary(b[:len(state)]) != nil {
		t.Error(err)
	}
	h.ReadFrom(bytes.NewReader(b))
	h.Sum(b[:0])
	AppendSum(b[100:100], MD5, b[:100])
	for _, n := range []int{9, 2000} {
		AppendMany(b[:0], MD5, [][]byte{b[4000:], b[100 : 100+n], pattern(n)})
		SumMany(MD5, [][]byte{b, b[:n], b[n:]})
	}
	if _, err := AppendColumn(b[:0], MD5, []int32{0, 100, 200}, b[2000:]); err != nil {
		t.Error(err)
	}
	if _, err := NewPart(CRC32, 0, b[:4096]); err != nil {
		t.Error(err)
	}
	all, _ := NewParts(CRC32, 4096)
	if _, err := all.Sum(b[:0], b[100:200]); err != nil {
		t.Error(err)
	}
	x := NewSHAKE128XOF()
	x.Write(b)
	x.Read(b)
}

// Unreachable objects do not accumulate, even though the garbage collector does not see their foreign memory.
func TestMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	m := pattern(600)
	for i := range 30_000 {
		h := NewSHA256()
		h.Write(m)
		mac, err := NewHMAC(MD5, m[:9])
		if err != nil {
			t.Fatal(err)
		}
		mac.Write(m)
		x := NewSHAKE128XOF()
		x.Read(m[:9])
		if alive := max(foreign(), 0); i%1000 == 0 && alive > 4*fewest {
			t.Fatalf("%d objects after %d", alive, i)
		}
	}
}

// Digests of 1 MiB need as much room as long messages.
func TestManyLongDigests(t *testing.T) {
	a, err := SHAKE128.WithSize(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	sums := SumMany(a, make([][]byte, 40))
	if !bytes.Equal(sums[0], sums[39]) || !bytes.Equal(sums[0], Sum(a, nil)) {
		t.Error("they are not equal")
	}
}

func TestReaders(t *testing.T) {
	m := pattern(1_000_000)
	want := md5.Sum(m)
	for name, r := range map[string]io.Reader{
		"data with EOF": iotest.DataErrReader(bytes.NewReader(m)),
		"half":          iotest.HalfReader(bytes.NewReader(m)),
		"no WriteTo":    struct{ io.Reader }{bytes.NewReader(m)},
		"pipe": func() io.Reader {
			r, w := io.Pipe()
			go func() {
				w.Write(m)
				w.Close()
			}()
			return r
		}(),
	} {
		if sum, err := SumReader(MD5, r); err != nil || !bytes.Equal(sum, want[:]) {
			t.Errorf("%s: %x, %v", name, sum, err)
		}
	}
	h := NewMD5()
	if n, err := io.Copy(h, bytes.NewReader(m)); err != nil || n != int64(len(m)) || !bytes.Equal(h.Sum(nil), want[:]) {
		t.Error(n, err)
	}
	if _, err := SumReader(MD5, iotest.TimeoutReader(bytes.NewReader(m))); !errors.Is(err, iotest.ErrTimeout) {
		t.Error(err)
	}
	broken := errors.New("broken")
	if _, err := SumReader(MD5, iotest.ErrReader(broken)); err != broken {
		t.Error(err)
	}
	if _, err := SumReader(MD5, readerFunc(func([]byte) (int, error) { return 0, nil })); err != io.ErrNoProgress {
		t.Error(err)
	}
	_, err := SumReader(MD5, readerFunc(func(b []byte) (int, error) { return len(b) + 1, nil }))
	expect(t, err, ErrIO, "says that it read")
	_, err = SumReader(MD5, readerFunc(func(b []byte) (int, error) { return -1, nil }))
	expect(t, err, ErrIO, "-1")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestMany(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	buffer := make([]byte, 3<<20)
	random.Read(buffer)
	for _, most := range []int{0, 40, 600, 5000, 100_000} {
		messages := make([][]byte, 0, 1000)
		for total := 0; len(messages) < 1000 && total < 20<<20; {
			n := random.Intn(most + 1)
			at := random.Intn(len(buffer) - n)
			m := buffer[at : at+n]
			if len(messages)%3 == 0 {
				m = bytes.Clone(m)
			}
			messages = append(messages, m)
			total += n
		}
		messages = append(messages, nil, []byte{}, buffer[:2<<20])
		for i, sum := range SumMany(MD5, messages) {
			if want := md5.Sum(messages[i]); !bytes.Equal(sum, want[:]) {
				t.Fatalf("message %d of %d bytes: %x", i, len(messages[i]), sum)
			}
		}
		all := AppendMany([]byte("x"), SHA256, messages)
		for i, m := range messages {
			if want := sha256.Sum256(m); !bytes.Equal(all[1+32*i:][:32], want[:]) {
				t.Fatalf("message %d of %d bytes", i, len(m))
			}
		}
	}
	if len(SumMany(MD5, nil)) != 0 {
		t.Error("digests of nothing")
	}
	sums := SumMany(MD5, [][]byte{nil, nil})
	if _ = append(sums[0], 1); sums[1][0] != 0xd4 {
		t.Error("appending to a digest changes the next")
	}
	// The digest may be appended over the message.
	for _, n := range []int{3, 100, 5000} {
		m := pattern(n)
		want := md5.Sum(m)
		if got := AppendSum(m[:0], MD5, m); !bytes.Equal(got, want[:]) {
			t.Errorf("%d bytes in place: %x", n, got)
		}
		m = pattern(n)
		if got := AppendMany(m[:0], MD5, [][]byte{pattern(4), m, m[:2]}); !bytes.Equal(got[16:32], want[:]) {
			t.Errorf("%d bytes in place: %x", n, got)
		}
		m = pattern(n)
		if got, err := AppendColumn(m[:0], MD5, []uint32{0, 0, uint32(n)}, m); err != nil || !bytes.Equal(got[16:32], want[:]) {
			t.Errorf("%d bytes in place: %x", n, got)
		}
		m = pattern(n)
		h := NewMD5()
		h.Write(m)
		if got := h.Sum(m[:0]); !bytes.Equal(got, want[:]) {
			t.Errorf("%d bytes in place: %x", n, got)
		}
	}
	sum, err := AppendColumn([]byte("x"), CRC32, []uint64{1, 1, 4}, []byte("abcd"))
	if err != nil || string(sum) != "x"+string(Sum(CRC32, nil))+string(Sum(CRC32, []byte("bcd"))) {
		t.Errorf("%x, %v", sum, err)
	}
}

// Many short messages, and columns of many, are divided among goroutines.
func TestManyShort(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	data := pattern(3 << 20)
	for name, length := range map[string]func(i int) int{
		"none":     func(int) int { return 0 },
		"rising":   func(i int) int { return i % 512 },
		"long":     func(int) int { return 511 },
		"few long": func(i int) int { return i % 700 / 699 * 511 },
	} {
		offsets, messages := []uint32{5}, [][]byte(nil)
		for len(messages) < 40_000 {
			from := int(offsets[len(messages)])
			to := from + length(len(messages))
			if to > len(data) {
				break
			}
			offsets, messages = append(offsets, uint32(to)), append(messages, data[from:to])
		}
		want := []byte("x")
		for _, m := range messages {
			sum := md5.Sum(m)
			want = append(want, sum[:]...)
		}
		if got := AppendMany([]byte("x"), MD5, messages); !bytes.Equal(got, want) {
			t.Errorf("%s: AppendMany of %d", name, len(messages))
		}
		if got, err := AppendColumn([]byte("x"), MD5, offsets, data); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: AppendColumn of %d: %v", name, len(messages), err)
		}
		// The digests overwrite the messages.
		own := slices.Clone(data)
		for i := range messages {
			messages[i] = own[offsets[i]:offsets[i+1]]
		}
		if got := AppendMany(own[:0], MD5, messages); !bytes.Equal(got, want[1:]) {
			t.Errorf("%s: AppendMany in place", name)
		}
		wrong := len(offsets) * 2 / 3
		offsets[wrong] = uint32(len(data)) + 7
		_, err := AppendColumn(nil, MD5, offsets, data)
		expect(t, err, ErrBadOffsets, fmt.Sprintf("offset %d is %d", wrong, len(data)+7))
	}
}

func TestConcurrency(t *testing.T) {
	m := pattern(10_000)
	want := map[Algorithm]string{}
	var list []Algorithm
	for a := range Algorithms() {
		list = append(list, a)
		want[a] = string(Sum(a, m))
	}
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			random := rand.New(rand.NewSource(int64(g)))
			for range 200 {
				a := list[random.Intn(len(list))]
				h, err := a.New()
				if err != nil {
					t.Error(err)
					return
				}
				n := random.Intn(len(m))
				h.Write(m[:n])
				c, _ := h.Clone()
				h.Write(m[n:])
				c.Write(m[n:])
				if string(h.Sum(nil)) != want[a] || string(c.Sum(nil)) != want[a] || string(Sum(a, m)) != want[a] {
					t.Error(a)
				}
				if random.Intn(20) == 0 {
					runtime.GC()
				}
				MustParse(fmt.Sprintf("xxh64:seed=%d", random.Intn(10)))
				if string(SumMany(a, [][]byte{m, m})[1]) != want[a] {
					t.Error(a)
				}
			}
		})
	}
	wait.Wait()
}

func TestHostileStates(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	for _, a := range []Algorithm{MD5, SHA256, BLAKE3, BLAKE2B_512, CRC32, XXH3, SHAKE128} {
		h, _ := a.New()
		h.Write(pattern(300))
		state, err := h.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		for range 500 {
			bad := bytes.Clone(state)
			switch random.Intn(3) {
			case 0:
				bad = bad[:random.Intn(len(bad))]
			case 1:
				bad[random.Intn(len(bad))] ^= byte(1 + random.Intn(255))
			default:
				bad = append(bad, byte(random.Intn(256)))
			}
			before := h.Sum(nil)
			expect(t, h.UnmarshalBinary(bad), ErrBadState, "state")
			if !bytes.Equal(h.Sum(nil), before) {
				t.Fatal("a bad state changed the hash")
			}
		}
	}
	expect(t, new(Hash).UnmarshalBinary(nil), ErrBadState, "state")
	expect(t, new(Hash).UnmarshalBinary(make([]byte, 1<<20)), ErrBadState, "state")
}

func TestFiles(t *testing.T) {
	folder := t.TempDir()
	var paths []string
	want := map[string][16]byte{}
	for i, n := range []int{0, 1, 5000, 32 << 10, 32<<10 + 1, 300_000, 3_000_000} {
		for _, name := range []string{fmt.Sprintf("f%d", i), fmt.Sprintf("new\nline %d", i), fmt.Sprintf("\xff%d", i)} {
			m := pattern(n)
			p := filepath.Join(folder, name)
			if err := os.WriteFile(p, m, 0o600); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, p)
			want[p] = md5.Sum(m)
		}
	}
	missing, nul := filepath.Join(folder, "missing"), "a\x00b"
	paths = append([]string{nul, missing}, append(paths, nul, folder, paths[0], nul)...)
	check := func(f Files) {
		t.Helper()
		next := 0
		for file, err := range f.Sum(context.Background(), paths) {
			if file.Index != next || file.Path != paths[next] {
				t.Fatalf("%+v where %d was due", file, next)
			}
			next++
			sum, known := want[file.Path]
			if !known {
				expect(t, err, ErrIO, "hash "+file.Path[:1])
				var e *fs.PathError
				if file.Sums != nil || !errors.As(err, &e) || e.Path != file.Path {
					t.Error(file, err)
				}
				continue
			}
			if err != nil || !bytes.Equal(file.Sums[0], sum[:]) || len(file.Sums) != len(f.Algorithms) {
				t.Error(file, err)
			}
		}
		if next != len(paths) {
			t.Errorf("%d of %d", next, len(paths))
		}
	}
	check(Files{Algorithms: []Algorithm{MD5}})
	var last FilesProgress
	check(Files{Algorithms: []Algorithm{MD5, CRC32, SHA512}, Threads: 1, Progress: func(p FilesProgress) { last = p }})
	if !last.Complete || last.Files != len(paths) || last.FilesTotal != len(paths) || last.Bytes != last.BytesTotal || last.Bytes < 9_000_000 {
		t.Errorf("%+v of %d files", last, len(paths))
	}
	all, err := Files{Algorithms: []Algorithm{MD5}}.All(context.Background(), paths)
	if len(all) != len(paths) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) || !strings.Contains(err.Error(), folder) {
		t.Error(len(all), err)
	}
	sum, err := SumFile(MD5, paths[3])
	if first := want[paths[3]]; err != nil || !bytes.Equal(sum, first[:]) {
		t.Error(err)
	}
	_, err = SumFile(MD5, missing)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	_, err = SumFile(MD5, "")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for range SumFiles(context.Background(), nil, MD5) {
		t.Error("a result of no files")
	}
	_, err = Files{}.All(context.Background(), paths)
	expect(t, err, ErrBadArgument, "no algorithm")
	_, err = Files{Algorithms: []Algorithm{MD5}, Threads: -1}.All(context.Background(), paths)
	expect(t, err, ErrBadArgument, "-1 threads")
	if os.Geteuid() != 0 {
		os.Chmod(paths[3], 0)
		if _, err = SumFile(MD5, paths[3]); !errors.Is(err, fs.ErrPermission) {
			t.Error(err)
		}
	}
}

func TestFilesAreLeft(t *testing.T) {
	folder := t.TempDir()
	paths := make([]string, 5000)
	for i := range paths {
		paths[i] = filepath.Join(folder, fmt.Sprint(i%50))
	}
	for i := range 50 {
		os.WriteFile(paths[i], pattern(100_000), 0o600)
	}
	goroutines := runtime.NumGoroutine()
	n := 0
	for range SumFiles(context.Background(), paths, SHA256) {
		if n++; n == 7 {
			break
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last error
	n = 0
	for file, err := range SumFiles(ctx, paths, SHA256) {
		if n++; n == 7 {
			cancel()
		}
		if last = err; err != nil && file.Index != -1 {
			t.Error(file, err)
		}
	}
	if last != context.Canceled || n > 1000 {
		t.Errorf("%v after %d", last, n)
	}
	for file, err := range SumFiles(ctx, paths, SHA256) {
		if file.Index != -1 || err != context.Canceled {
			t.Error(file, err)
		}
	}
	func() {
		defer func() {
			if p := recover(); p != "enough" {
				t.Error(p)
			}
		}()
		for range (Files{Algorithms: []Algorithm{SHA256}, Progress: func(FilesProgress) { panic("enough") }}).Sum(context.Background(), paths) {
		}
		t.Error("the panic of a callback is lost")
	}()
	func() {
		defer func() {
			if p := recover(); p != "loop" {
				t.Error(p)
			}
		}()
		for range SumFiles(context.Background(), paths, SHA256) {
			panic("loop")
		}
	}()
	for range 100 {
		if runtime.NumGoroutine() <= goroutines {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
}

func TestRegisterCrypto(t *testing.T) {
	expect(t, RegisterCrypto(crypto.MD5SHA1), ErrUnknownAlgorithm, "MD5")
	if err := RegisterCrypto(); err != nil {
		t.Fatal(err)
	}
	for h := range cryptoHashes {
		n := h.New()
		if n.Size() != h.Size() {
			t.Errorf("%v: %d bytes", h, n.Size())
		}
		if _, ours := n.(*Hash); !ours {
			t.Errorf("%v is not ours", h)
		}
	}
}

// Frequent calls allocate nothing.
func TestAllocations(t *testing.T) {
	m, room := pattern(5000), make([]byte, 0, 64)
	Sum(MD5, m)
	if n := testing.AllocsPerRun(100, func() { AppendSum(room, MD5, m) }); n > 0 {
		t.Errorf("AppendSum allocates %v times", n)
	}
	h := NewSHA256()
	if n := testing.AllocsPerRun(100, func() { h.Write(m); h.Sum(room); h.Reset() }); n > 0 {
		t.Errorf("Write, Sum and Reset allocate %v times", n)
	}
	if engine == "cgo" {
		if n := testing.AllocsPerRun(100, func() { NewSHA256() }); n > 2 {
			t.Errorf("NewSHA256 allocates %v times", n)
		}
	}
}
