package hashmill

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"hash"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Ways to hash a file in Go: three that an old article compared, and ours. READERS_FILE may name a file; otherwise the
// benchmark creates one of the size that the article used.
const readersBytes = 19_405_028

func readersFile(b *testing.B) string {
	name := os.Getenv("READERS_FILE")
	if name == "" {
		name = filepath.Join(b.TempDir(), "file")
		if err := os.WriteFile(name, pattern(readersBytes), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	return name
}

var lastSum []byte

// onlyReader hides every method but Read, so that io.Copy cannot use WriteTo, as with os.File before Go 1.22.
type onlyReader struct{ io.Reader }

// onlyWriter hides every method but Write, so that io.Copy cannot use ReadFrom.
type onlyWriter struct{ io.Writer }

var ways = []struct {
	name string
	read func(io.Writer, io.Reader) error
}{
	{"Copy", func(w io.Writer, r io.Reader) error {
		_, err := io.Copy(w, r)
		return err
	}},
	{"BufioCopy", func(w io.Writer, r io.Reader) error {
		_, err := io.Copy(w, bufio.NewReader(r))
		return err
	}},
	{"CopyBuffer4096", func(w io.Writer, r io.Reader) error {
		_, err := io.CopyBuffer(w, r, make([]byte, 4096))
		return err
	}},
	{"CopyWithoutWriteTo", func(w io.Writer, r io.Reader) error {
		_, err := io.Copy(w, onlyReader{r})
		return err
	}},
	{"BufioCopyWithoutWriteTo", func(w io.Writer, r io.Reader) error {
		_, err := io.Copy(w, bufio.NewReader(onlyReader{r}))
		return err
	}},
	{"CopyBuffer4096WithoutWriteTo", func(w io.Writer, r io.Reader) error {
		_, err := io.CopyBuffer(w, onlyReader{r}, make([]byte, 4096))
		return err
	}},
	{"CopyWithoutReadFrom", func(w io.Writer, r io.Reader) error {
		_, err := io.Copy(onlyWriter{w}, r)
		return err
	}},
}

var makers = []struct {
	name string
	make func() hash.Hash
}{{"crypto", md5.New}, {"hashmill", NewMD5}}

// BenchmarkReaders reads a file in every way with both implementations of MD5.
func BenchmarkReaders(b *testing.B) {
	name := readersFile(b)
	for _, m := range makers {
		run := func(way string, f func(b *testing.B)) {
			b.Run("hash="+m.name+"/way="+way, func(b *testing.B) {
				info, _ := os.Stat(name)
				b.SetBytes(info.Size())
				b.ReportAllocs()
				for b.Loop() {
					f(b)
				}
			})
		}
		run("ReadFile", func(b *testing.B) {
			data, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			h := m.make()
			h.Write(data)
			lastSum = h.Sum(nil)
		})
		for _, way := range ways {
			run(way.name, func(b *testing.B) {
				f, err := os.Open(name)
				if err != nil {
					b.Fatal(err)
				}
				h := m.make()
				if err := way.read(h, f); err != nil {
					b.Fatal(err)
				}
				f.Close()
				lastSum = h.Sum(nil)
			})
		}
	}
	b.Run("hash=hashmill/way=SumFile", func(b *testing.B) {
		info, _ := os.Stat(name)
		b.SetBytes(info.Size())
		b.ReportAllocs()
		for b.Loop() {
			sum, err := SumFile(MD5, name)
			if err != nil {
				b.Fatal(err)
			}
			lastSum = sum
		}
	})
}

// BenchmarkHTTP makes the same comparison for a body read over the network.
func BenchmarkHTTP(b *testing.B) {
	data, err := os.ReadFile(readersFile(b))
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		io.Copy(w, bytes.NewReader(data))
	}))
	defer server.Close()
	for _, m := range makers {
		run := func(way string, f func(io.Reader) ([]byte, error)) {
			b.Run("hash="+m.name+"/way="+way, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					r, err := http.Get(server.URL)
					if err != nil {
						b.Fatal(err)
					}
					if lastSum, err = f(r.Body); err != nil {
						b.Fatal(err)
					}
					r.Body.Close()
				}
			})
		}
		run("ReadAll", func(r io.Reader) ([]byte, error) {
			data, err := io.ReadAll(r)
			h := m.make()
			h.Write(data)
			return h.Sum(nil), err
		})
		run("Copy", func(r io.Reader) ([]byte, error) {
			h := m.make()
			_, err := io.Copy(h, r)
			return h.Sum(nil), err
		})
	}
}
