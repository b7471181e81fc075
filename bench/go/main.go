// Command beside measures this package beside Go's own hashes, alternated in slices of milliseconds, and prints JSON. bench/go/run makes a
// page of it.
package main

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/json"
	"flag"
	"fmt"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	hashmill "github.com/hashmill/hashmill/bindings/go"
	"github.com/jzelinskie/whirlpool"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
	//lint:ignore SA1019 it is what is compared with
	"golang.org/x/crypto/md4"
	//lint:ignore SA1019 it is what is compared with
	"golang.org/x/crypto/ripemd160"
)

// A summary is a median and an interval that has the true one in it 95 times of 100, by order statistics.
type summary struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

func summarize(values []float64) summary {
	v := slices.Sorted(slices.Values(values))
	n := float64(len(v))
	at := func(x float64) float64 { return v[min(max(int(x), 0), len(v)-1)] }
	middle := (at((n-1)/2) + at(n/2)) / 2
	half := 0.98 * math.Sqrt(n)
	return summary{middle, at(math.Floor(n/2 - half)), at(math.Ceil(n/2 + half - 1))}
}

// A row is one comparison.
type row struct {
	Name  string  `json:"name"`
	Peer  string  `json:"peer"`
	Bytes int     `json:"bytes"` // of a call
	Ratio summary `json:"ratio"` // how many times as fast ours is
	Ours  summary `json:"ours"`  // nanoseconds of a call
	Their summary `json:"theirs"`
}

// pairs lets two take turns: A B, B A, A B … in slices of about this length.
func pairs(count int, slice time.Duration, ours, theirs func()) (ratio, a, b summary) {
	calls := func(f func()) int {
		for n := 1; ; n *= 2 {
			start := time.Now()
			for range n {
				f()
			}
			if took := time.Since(start); took > slice/2 {
				return max(1, int(float64(n)*float64(slice)/float64(took)))
			}
		}
	}
	time1 := func(f func(), n int) float64 {
		start := time.Now()
		for range n {
			f()
		}
		return float64(time.Since(start).Nanoseconds()) / float64(n)
	}
	na, nb := calls(ours), calls(theirs)
	var rs, as, bs []float64
	for i := range count {
		var x, y float64
		if i%2 == 0 {
			x, y = time1(ours, na), time1(theirs, nb)
		} else {
			y, x = time1(theirs, nb), time1(ours, na)
		}
		rs, as, bs = append(rs, y/x), append(as, x), append(bs, y)
	}
	return summarize(rs), summarize(as), summarize(bs)
}

func without(f func([]byte) (hash.Hash, error)) func() hash.Hash {
	return func() hash.Hash {
		h, err := f(nil)
		if err != nil {
			panic(err)
		}
		return h
	}
}

var peers = []struct {
	name, peer string
	a          hashmill.Algorithm
	theirs     func() hash.Hash
}{
	{"md5", "crypto/md5", hashmill.MD5, md5.New},
	{"sha1", "crypto/sha1", hashmill.SHA1, sha1.New},
	{"sha256", "crypto/sha256", hashmill.SHA256, sha256.New},
	{"sha512", "crypto/sha512", hashmill.SHA512, sha512.New},
	{"sha3-256", "crypto/sha3", hashmill.SHA3_256, func() hash.Hash { return sha3.New256() }},
	{"sha3-512", "crypto/sha3", hashmill.SHA3_512, func() hash.Hash { return sha3.New512() }},
	{"blake2b", "x/crypto/blake2b", hashmill.BLAKE2B_512, without(blake2b.New512)},
	{"blake2s", "x/crypto/blake2s", hashmill.BLAKE2S_256, without(blake2s.New256)},
	{"ripemd160", "x/crypto/ripemd160", hashmill.RIPEMD160, ripemd160.New},
	{"md4", "x/crypto/md4", hashmill.MD4, md4.New},
	{"whirlpool", "jzelinskie/whirlpool", hashmill.WHIRLPOOL, whirlpool.New},
	{"crc32", "hash/crc32", hashmill.CRC32, func() hash.Hash { return crc32.NewIEEE() }},
	{"crc32c", "hash/crc32", hashmill.CRC32C, func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }},
	{"adler32", "hash/adler32", hashmill.ADLER32, func() hash.Hash { return adler32.New() }},
}

// noise is what no branch can be guessed from.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint64(0x2545f4914f6cdd1d)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x * 0x9e3779b97f4a7c15 >> 56)
	}
	return b
}

func main() {
	count := flag.Int("pairs", 41, "pairs of each comparison")
	photos := flag.String("photos", "", "a folder of files, for SumFiles")
	first := flag.Bool("first", false, "only what the first call takes, and how much memory")
	cache := flag.String("cache", "", "a folder for the machine code of WebAssembly")
	flag.Parse()
	if *cache != "" {
		hashmill.CacheCompiled(*cache)
	}
	if *first {
		start := time.Now()
		hashmill.Sum(hashmill.MD5, []byte("abc"))
		one := time.Since(start)
		start = time.Now()
		hashmill.Sum(hashmill.MD5, []byte("abc"))
		fmt.Printf("{\"first_ns\": %d, \"second_ns\": %d}\n", one.Nanoseconds(), time.Since(start).Nanoseconds())
		return
	}
	debug.SetGCPercent(400)
	sizes := []int{5, 64, 256, 1024, 16 << 10, 1 << 20}
	slice := 2 * time.Millisecond
	data := noise(1 << 20)
	report := map[string]any{"go": runtime.Version(), "procs": runtime.GOMAXPROCS(0), "engine": hashmill.Engine(), "version": hashmill.Version(), "pairs": *count}
	var rows []row
	var out []byte
	for _, p := range peers {
		for _, n := range sizes {
			h := p.theirs()
			ours, err := p.a.New()
			if err != nil {
				fail(err)
			}
			m := data[:n]
			// Both as a loop would use them: one hash, reset for each message.
			r, a, b := pairs(*count, slice, func() {
				ours.Reset()
				ours.Write(m)
				out = ours.Sum(out[:0])
			}, func() {
				h.Reset()
				h.Write(m)
				out = h.Sum(out[:0])
			})
			rows = append(rows, row{p.name, p.peer, n, r, a, b})
		}
	}
	report["streams"] = rows

	rows = nil
	one := []byte("hello")
	for _, p := range []struct {
		name   string
		a      hashmill.Algorithm
		theirs func([]byte)
	}{
		{"md5", hashmill.MD5, func(m []byte) { s := md5.Sum(m); sink = s[0] }},
		{"sha256", hashmill.SHA256, func(m []byte) { s := sha256.Sum256(m); sink = s[0] }},
		{"sha512", hashmill.SHA512, func(m []byte) { s := sha512.Sum512(m); sink = s[0] }},
		{"crc32", hashmill.CRC32, func(m []byte) { sink = byte(crc32.ChecksumIEEE(m)) }},
	} {
		r, a, b := pairs(*count, slice, func() { out = hashmill.AppendSum(out[:0], p.a, one) }, func() { p.theirs(one) })
		rows = append(rows, row{p.name, "one-shot", len(one), r, a, b})
	}
	report["one_shot"] = rows
	x, y := []byte{1}, []byte{2}
	_, call, _ := pairs(*count, slice, func() { hashmill.Equal(x, y) }, func() { hashmill.Equal(y, x) })
	report["call_ns"] = call

	rows = nil
	for _, n := range []int{5, 100, 5000} {
		messages := make([][]byte, 1000)
		for i := range messages {
			messages[i] = noise(n)
		}
		for _, p := range []struct {
			name   string
			a      hashmill.Algorithm
			theirs func([]byte)
		}{
			{"md5", hashmill.MD5, func(m []byte) { s := md5.Sum(m); sink = s[0] }},
			{"sha1", hashmill.SHA1, func(m []byte) { s := sha1.Sum(m); sink = s[0] }},
			{"sha256", hashmill.SHA256, func(m []byte) { s := sha256.Sum256(m); sink = s[0] }},
			{"sha512", hashmill.SHA512, func(m []byte) { s := sha512.Sum512(m); sink = s[0] }},
			{"sha3-256", hashmill.SHA3_256, func(m []byte) { s := sha3.Sum256(m); sink = s[0] }},
		} {
			r, a, b := pairs(*count, 10*time.Millisecond, func() { out = hashmill.AppendMany(out[:0], p.a, messages) }, func() {
				for _, m := range messages {
					p.theirs(m)
				}
			})
			rows = append(rows, row{p.name, fmt.Sprintf("1000 messages of %d bytes", n), n, r, a, b})
		}
	}
	report["many"] = rows

	if *photos != "" {
		var paths []string
		var bytes int64
		err := filepath.WalkDir(*photos, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				paths = append(paths, path)
				if info, err := d.Info(); err == nil {
					bytes += info.Size()
				}
			}
			return err
		})
		if err != nil {
			fail(err)
		}
		rows = nil
		for _, p := range peers[:4] {
			r, a, b := pairs(max(*count/4, 3), time.Millisecond, func() {
				for file, err := range hashmill.SumFiles(context.Background(), paths, p.a) {
					if err != nil {
						fail(err)
					}
					sink = file.Sums[0][0]
				}
			}, func() {
				for _, path := range paths {
					f, err := os.Open(path)
					if err != nil {
						fail(err)
					}
					h := p.theirs()
					if _, err := io.Copy(h, f); err != nil {
						fail(err)
					}
					f.Close()
					sink = h.Sum(nil)[0]
				}
			})
			rows = append(rows, row{p.name, fmt.Sprintf("%d files, io.Copy to %s", len(paths), p.peer), int(bytes), r, a, b})
		}
		report["files"] = rows
	}
	text, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		fail(err)
	}
	fmt.Println(string(text))
	runtime.KeepAlive(&sink)
}

// sink keeps the compiler from leaving out what is measured.
var sink byte

func fail(err error) {
	fmt.Fprintln(os.Stderr, "beside:", err)
	os.Exit(1)
}
