// Command go runs loops over this package and over Go's own hashes, as it is told on standard input: an engine
// (crates/hashmill-measure/src/engine.rs).
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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

// A loop is what this program can run.
type loop struct {
	Case  string `json:"case"`
	By    string `json:"by"`
	Bytes int    `json:"bytes"`
	turn  func()
}

// A request says which of them, and how many turns.
type request struct {
	Case  string `json:"case"`
	By    string `json:"by"`
	Times int    `json:"times"`
}

const (
	ours   = "hashmill"
	theirs = "Go"
)

var loops []loop

// add adds two loops that do the same work.
func add(name string, bytes int, us, them func()) {
	loops = append(loops, loop{name, ours, bytes, us}, loop{name, theirs, bytes, them})
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

// functions are those that hash a message at once.
var functions = []struct {
	name   string
	a      hashmill.Algorithm
	theirs func([]byte)
}{
	{"md5", hashmill.MD5, func(m []byte) { s := md5.Sum(m); sink = s[0] }},
	{"sha1", hashmill.SHA1, func(m []byte) { s := sha1.Sum(m); sink = s[0] }},
	{"sha256", hashmill.SHA256, func(m []byte) { s := sha256.Sum256(m); sink = s[0] }},
	{"sha512", hashmill.SHA512, func(m []byte) { s := sha512.Sum512(m); sink = s[0] }},
	{"sha3-256", hashmill.SHA3_256, func(m []byte) { s := sha3.Sum256(m); sink = s[0] }},
	{"crc32", hashmill.CRC32, func(m []byte) { sink = byte(crc32.ChecksumIEEE(m)) }},
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

// streams: one hash of each, reset for each message, as a loop would use it.
func streams() {
	data := noise(1 << 20)
	var out []byte
	for _, p := range peers {
		for _, n := range []int{5, 64, 256, 1024, 16 << 10, 1 << 20} {
			us, err := p.a.New()
			check(err)
			h, m := p.theirs(), data[:n]
			one := func(h hash.Hash) func() {
				return func() {
					h.Reset()
					h.Write(m)
					out = h.Sum(out[:0])
				}
			}
			add(fmt.Sprintf("`%s` (%s), %d bytes", p.name, p.peer, n), n, one(us), one(h))
		}
	}
}

// calls: a message of five bytes at once, and a call that does nothing.
func calls() {
	five := []byte("hello")
	var out []byte
	for _, p := range functions {
		add(fmt.Sprintf("`%s` at once, 5 bytes", p.name), 5, func() { out = hashmill.AppendSum(out[:0], p.a, five) }, func() { p.theirs(five) })
	}
	x, y := []byte{1}, []byte{2}
	equal := func(a, b []byte) bool { return bytes.Equal(a, b) }
	add("`Equal` of one byte", 1, func() { hashmill.Equal(x, y) }, func() { sinkBool = equal(x, y) })
}

// many: a thousand messages.
func many() {
	var out []byte
	for _, n := range []int{5, 100, 5000} {
		messages := make([][]byte, 1000)
		for i := range messages {
			messages[i] = noise(n)
		}
		for _, p := range functions {
			add(fmt.Sprintf("`%s`, 1000 messages of %d bytes", p.name, n), 1000*n, func() { out = hashmill.AppendMany(out[:0], p.a, messages) }, func() {
				for _, m := range messages {
					p.theirs(m)
				}
			})
		}
	}
}

// files: those below a folder, and ways to read one of them.
func files(folder string) {
	var paths []string
	var total int64
	check(filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
		}
		return err
	}))
	for _, p := range peers[:4] {
		add(fmt.Sprintf("`%s`, %d photos", p.name, len(paths)), int(total), func() {
			for file, err := range hashmill.SumFiles(context.Background(), paths, p.a) {
				check(err)
				sink = file.Sums[0][0]
			}
		}, func() {
			for _, path := range paths {
				h := p.theirs()
				with(path, func(f *os.File) error { _, err := io.Copy(h, f); return err })
				sink = h.Sum(nil)[0]
			}
		})
	}
	if len(paths) == 0 {
		return
	}
	path := paths[0]
	info, err := os.Stat(path)
	check(err)
	way := func(name string, read func(hash.Hash)) {
		us, err := hashmill.MD5.New()
		check(err)
		one := func(h hash.Hash) func() {
			return func() {
				h.Reset()
				read(h)
				sink = h.Sum(nil)[0]
			}
		}
		add(fmt.Sprintf("`md5` of one photo by %s", name), int(info.Size()), one(us), one(md5.New()))
	}
	way("os.ReadFile", func(h hash.Hash) {
		b, err := os.ReadFile(path)
		check(err)
		h.Write(b)
	})
	// What has nothing but Read is as files were before Go 1.22.
	for _, hidden := range []string{"", ", WriteTo hidden"} {
		reader := func(f *os.File) io.Reader {
			if hidden == "" {
				return f
			}
			return struct{ io.Reader }{f}
		}
		copying := func(name string, copy func(h hash.Hash, r io.Reader) error) {
			way(name+hidden, func(h hash.Hash) { with(path, func(f *os.File) error { return copy(h, reader(f)) }) })
		}
		copying("io.Copy", func(h hash.Hash, r io.Reader) error { _, err := io.Copy(h, r); return err })
		copying("bufio.NewReader and io.Copy", func(h hash.Hash, r io.Reader) error {
			_, err := io.Copy(h, bufio.NewReader(r))
			return err
		})
		copying("io.CopyBuffer of 4 KiB", func(h hash.Hash, r io.Reader) error {
			_, err := io.CopyBuffer(h, r, make([]byte, 4096))
			return err
		})
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	get := func(read func(io.Reader) error) {
		response, err := http.Get(server.URL + "/" + filepath.Base(path))
		check(err)
		check(read(response.Body))
		check(response.Body.Close())
	}
	way("http.Get and io.ReadAll", func(h hash.Hash) {
		get(func(r io.Reader) error { b, err := io.ReadAll(r); h.Write(b); return err })
	})
	way("http.Get and io.Copy", func(h hash.Hash) {
		get(func(r io.Reader) error { _, err := io.Copy(h, r); return err })
	})
}

func with(path string, read func(*os.File) error) {
	f, err := os.Open(path)
	check(err)
	check(read(f))
	check(f.Close())
}

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: go PHOTOS"))
	}
	debug.SetGCPercent(400)
	streams()
	calls()
	many()
	files(os.Args[1])
	by := map[[2]string]func(){}
	for _, l := range loops {
		by[[2]string{l.Case, l.By}] = l.turn
	}
	name := fmt.Sprintf("Go %s (%s)", runtime.Version()[2:], hashmill.Engine())
	say(map[string]any{"protocol": 1, "engine": name, "loops": loops})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r request
		check(json.Unmarshal(lines.Bytes(), &r))
		turn, ok := by[[2]string{r.Case, r.By}]
		if !ok {
			fail(fmt.Errorf("no loop %s by %s", r.Case, r.By))
		}
		before := allocated()
		start := time.Now()
		for range r.Times {
			turn()
		}
		took := time.Since(start)
		say(map[string]any{"ns": took.Nanoseconds(), "allocated": allocated() - before})
	}
	check(lines.Err())
	runtime.KeepAlive(sink)
	runtime.KeepAlive(sinkBool)
}

// allocated returns how many bytes have been allocated so far.
func allocated() uint64 {
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

var sample = []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}

func say(what map[string]any) {
	text, err := json.Marshal(what)
	check(err)
	fmt.Printf("%s\n", text)
}

// They keep the compiler from leaving out what is measured.
var (
	sink     byte
	sinkBool bool
)

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
