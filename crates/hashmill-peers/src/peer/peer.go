// A loop over the digests of Go's standard library; what it is asked is told in language.rs.
package main

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"hash/crc64"
	"hash/fnv"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Where digests go, so that they are computed.
var (
	out16 [16]byte
	out20 [20]byte
	out28 [28]byte
	out32 [32]byte
	out48 [48]byte
	out64 [64]byte
	sum32 uint32
	sum64 uint64
)

// An algorithm: a loop over messages, and where the last digest lies.
type algorithm struct {
	name string
	loop func(messages [][]byte)
	out  any
}

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	iso        = crc64.MakeTable(crc64.ISO)
	ecma       = crc64.MakeTable(crc64.ECMA)
	fnv32      = fnv.New32()
	fnv32a     = fnv.New32a()
	fnv64      = fnv.New64()
	fnv64a     = fnv.New64a()
)

var algorithms = []algorithm{
	{"md5.Sum", func(ms [][]byte) {
		for _, m := range ms {
			out16 = md5.Sum(m)
		}
	}, &out16},
	{"sha1.Sum", func(ms [][]byte) {
		for _, m := range ms {
			out20 = sha1.Sum(m)
		}
	}, &out20},
	{"sha256.Sum224", func(ms [][]byte) {
		for _, m := range ms {
			out28 = sha256.Sum224(m)
		}
	}, &out28},
	{"sha256.Sum256", func(ms [][]byte) {
		for _, m := range ms {
			out32 = sha256.Sum256(m)
		}
	}, &out32},
	{"sha512.Sum384", func(ms [][]byte) {
		for _, m := range ms {
			out48 = sha512.Sum384(m)
		}
	}, &out48},
	{"sha512.Sum512", func(ms [][]byte) {
		for _, m := range ms {
			out64 = sha512.Sum512(m)
		}
	}, &out64},
	{"sha512.Sum512_224", func(ms [][]byte) {
		for _, m := range ms {
			out28 = sha512.Sum512_224(m)
		}
	}, &out28},
	{"sha512.Sum512_256", func(ms [][]byte) {
		for _, m := range ms {
			out32 = sha512.Sum512_256(m)
		}
	}, &out32},
	{"crc32.ChecksumIEEE", func(ms [][]byte) {
		for _, m := range ms {
			sum32 = crc32.ChecksumIEEE(m)
		}
	}, &sum32},
	{"crc32.Checksum", func(ms [][]byte) {
		for _, m := range ms {
			sum32 = crc32.Checksum(m, castagnoli)
		}
	}, &sum32},
	{"crc64.Checksum(ISO)", func(ms [][]byte) {
		for _, m := range ms {
			sum64 = crc64.Checksum(m, iso)
		}
	}, &sum64},
	{"crc64.Checksum(ECMA)", func(ms [][]byte) {
		for _, m := range ms {
			sum64 = crc64.Checksum(m, ecma)
		}
	}, &sum64},
	{"adler32.Checksum", func(ms [][]byte) {
		for _, m := range ms {
			sum32 = adler32.Checksum(m)
		}
	}, &sum32},
	{"fnv.New32", func(ms [][]byte) {
		for _, m := range ms {
			fnv32.Reset()
			fnv32.Write(m)
			sum32 = fnv32.Sum32()
		}
	}, &sum32},
	{"fnv.New32a", func(ms [][]byte) {
		for _, m := range ms {
			fnv32a.Reset()
			fnv32a.Write(m)
			sum32 = fnv32a.Sum32()
		}
	}, &sum32},
	{"fnv.New64", func(ms [][]byte) {
		for _, m := range ms {
			fnv64.Reset()
			fnv64.Write(m)
			sum64 = fnv64.Sum64()
		}
	}, &sum64},
	{"fnv.New64a", func(ms [][]byte) {
		for _, m := range ms {
			fnv64a.Reset()
			fnv64a.Write(m)
			sum64 = fnv64a.Sum64()
		}
	}, &sum64},
}

func find(name string) algorithm {
	for _, a := range algorithms {
		if a.name == name {
			return a
		}
	}
	fail(fmt.Errorf("no %s", name))
	return algorithm{}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		fail(err)
	}
	return n
}

func main() {
	requests := bufio.NewReaderSize(os.Stdin, 1<<20)
	fmt.Print("hashmill-peer ", strings.TrimPrefix(strings.Fields(runtime.Version())[0], "go"))
	for _, a := range algorithms {
		fmt.Print(" ", a.name)
	}
	fmt.Println()
	var messages [][]byte
	count, next := 0, 0
	for {
		line, err := requests.ReadString('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			fail(err)
		}
		words := strings.Fields(line)
		switch words[0] {
		case "messages":
			messages, next = nil, 0
			for _, length := range words[1:] {
				m := make([]byte, number(length))
				if _, err := io.ReadFull(requests, m); err != nil {
					fail(err)
				}
				messages = append(messages, m)
			}
			count = len(messages)
			// Few messages, many times, so that a stretch without a break is long.
			for len(messages) < 1024 {
				messages = append(messages, messages...)
			}
			fmt.Println(count)
		case "digests":
			a := find(words[1])
			digests := make([]string, count)
			for i := range digests {
				a.loop(messages[i : i+1])
				var b bytes.Buffer
				if err := binary.Write(&b, binary.BigEndian, a.out); err != nil {
					fail(err)
				}
				digests[i] = hex.EncodeToString(b.Bytes())
			}
			fmt.Println(strings.Join(digests, " "))
		case "run":
			loop, left := find(words[1]).loop, number(words[2])
			start := time.Now()
			for left > 0 {
				end := min(len(messages), next+left)
				loop(messages[next:end])
				left -= end - next
				next = end % len(messages)
			}
			fmt.Println(time.Since(start).Nanoseconds())
		default:
			fail(fmt.Errorf("no such request: %s", words[0]))
		}
	}
}
