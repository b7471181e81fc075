package hashmill_test

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"

	hashmill "github.com/hashmill/hashmill/bindings/go"
)

func Example() {
	h := hashmill.NewSHA256() // a hash.Hash, as sha256.New()
	h.Write([]byte("abc"))
	fmt.Printf("%x\n", h.Sum(nil))
	fmt.Printf("%x\n", hashmill.Sum(hashmill.MD5, []byte("abc")))
	// Output:
	// ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
	// 900150983cd24fb0d6963f7d28e17f72
}

func ExampleNew() {
	h, err := hashmill.New("tiger192-3")
	if err != nil {
		log.Fatal(err)
	}
	h.WriteString("abc")
	fmt.Printf("%x\n", h.Sum(nil))

	_, err = hashmill.New("sha265")
	fmt.Println(errors.Is(err, hashmill.ErrUnknownAlgorithm), err)
	// Output:
	// 2aab1484e8c158f2bfb8c5ff41b57a525129131c957b5f93
	// true hashmill: unknown algorithm 'sha265'; did you mean sha256?
}

func ExampleNew_options() {
	h, err := hashmill.New("blake2b", hashmill.WithKey([]byte("secret")), hashmill.WithPersonal([]byte("backups")), hashmill.WithSize(20))
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(h, strings.NewReader("message"))
	fmt.Printf("%d bytes of %s\n", h.Size(), h.Algorithm())
	// Output: 20 bytes of blake2b-160
}

func ExampleParse() {
	a, err := hashmill.Parse("CRC-32/ISCSI")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a, a == hashmill.CRC32C, a.Security())
	// Output: crc32c true not cryptographic
}

func ExampleSumMany() {
	for _, sum := range hashmill.SumMany(hashmill.SHA1, [][]byte{[]byte("one"), []byte("two"), []byte("three")}) {
		fmt.Printf("%x\n", sum)
	}
	// Output:
	// fe05bcdcdc4928012781a5f1a2a77cbb5398e106
	// ad782ecdac770fc6eb9a62e44f90873fb97fb26b
	// b802f384302cb24fbab0a44997e820bf2e8507bb
}

func ExampleSumFiles() {
	folder, err := os.MkdirTemp("", "hashmill")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	paths := []string{filepath.Join(folder, "a"), filepath.Join(folder, "missing"), filepath.Join(folder, "b")}
	os.WriteFile(paths[0], []byte("abc"), 0o600)
	os.WriteFile(paths[2], []byte("abc"), 0o600)
	for file, err := range hashmill.SumFiles(context.Background(), paths, hashmill.MD5, hashmill.CRC32) {
		if err != nil {
			fmt.Println(filepath.Base(file.Path), errors.Is(err, fs.ErrNotExist))
			continue
		}
		fmt.Printf("%x %x %s\n", file.Sums[0], file.Sums[1], filepath.Base(file.Path))
	}
	// Output:
	// 900150983cd24fb0d6963f7d28e17f72 352441c2 a
	// missing true
	// 900150983cd24fb0d6963f7d28e17f72 352441c2 b
}

func ExampleSumReader() {
	sum, err := hashmill.SumReader(hashmill.BLAKE3, strings.NewReader("abc"))
	fmt.Printf("%x %v\n", sum, err)
	// Output: 6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85 <nil>
}

func ExampleHash_MarshalBinary() {
	h, _ := hashmill.New("sha256")
	h.WriteString("a")
	state, err := h.MarshalBinary() // to a file, another process, another machine
	if err != nil {
		log.Fatal(err)
	}
	var later hashmill.Hash
	if err := later.UnmarshalBinary(state); err != nil {
		log.Fatal(err)
	}
	later.WriteString("bc")
	fmt.Printf("%x\n", later.Sum(nil))
	// Output: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
}

func ExampleNewXOF() {
	x := hashmill.NewSHAKE128XOF() // a hash.XOF
	x.WriteString("abc")
	out := make([]byte, 40)
	x.Read(out)
	fmt.Printf("%x\n", out)
	// Output: 5881092dd818bf5cf8a3ddb793fbcba74097d5c526a6d35f97b83351940f2cc844c50af32acd3f2c
}

func ExampleNewHMAC() {
	m, err := hashmill.NewHMAC(hashmill.SHA256, []byte("key"))
	if err != nil {
		log.Fatal(err)
	}
	m.WriteString("message")
	theirs := hmac.New(hashmill.NewSHA256, []byte("key")) // crypto/hmac works as well
	theirs.Write([]byte("message"))
	fmt.Println(m.Verify(theirs.Sum(nil)))
	// Output: true
}

func ExampleCombine() {
	crc := func(s string) []byte { return hashmill.SumString(hashmill.CRC32, s) }
	both, err := hashmill.Combine(hashmill.CRC32, crc("123"), crc("456789"), 6)
	fmt.Printf("%x %x %v\n", both, crc("123456789"), err)
	// Output: cbf43926 cbf43926 <nil>
}

func ExampleResumeFrom() {
	crc := hashmill.SumString(hashmill.CRC32, "123")
	h, err := hashmill.New("crc32", hashmill.ResumeFrom(crc)) // as zlib's crc32(crc, data)
	if err != nil {
		log.Fatal(err)
	}
	h.WriteString("456789")
	fmt.Printf("%x\n", h.Sum(nil))
	// Output: cbf43926
}

func ExampleNewParts() {
	message := make([]byte, 10_000)
	parts, err := hashmill.NewParts(hashmill.BLAKE3, 4096)
	if err != nil {
		log.Fatal(err)
	}
	at := 0
	for ; len(message)-at >= 4096; at += 4096 {
		part, err := hashmill.NewPart(hashmill.BLAKE3, uint64(at), message[at:at+4096]) // on any goroutine
		if err != nil {
			log.Fatal(err)
		}
		if err := parts.Push(part); err != nil {
			log.Fatal(err)
		}
	}
	sum, err := parts.Sum(nil, message[at:])
	fmt.Println(hashmill.Equal(sum, hashmill.Sum(hashmill.BLAKE3, message)), err)
	// Output: true <nil>
}

func ExampleAlgorithms() {
	broken := 0
	for a := range hashmill.Algorithms() {
		if a.Security() == hashmill.Broken {
			broken++
		}
	}
	fmt.Println(broken > 10)
	// Output: true
}

func ExampleAppendColumn() {
	data, offsets := []byte("onetwothree"), []int32{0, 3, 6, 11} // as Arrow has them
	sums, err := hashmill.AppendColumn(nil, hashmill.CRC32, offsets, data)
	fmt.Printf("%x %v\n", sums, err)
	// Output: 7a6c86f111ca8a6646c5d8f5 <nil>
}
