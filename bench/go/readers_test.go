// Package readers has Go's ways to feed a file to MD5, as the published comparison has them. The file is the one that
// READERS_FILE names.
package readers

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"io"
	"net"
	"os"
	"testing"
)

func path(b *testing.B) string {
	name := os.Getenv("READERS_FILE")
	if name == "" {
		b.Skip("READERS_FILE names no file")
	}
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	return name
}

var sum []byte

func files(b *testing.B, read func(io.Writer, *os.File) error) {
	name := path(b)
	for i := 0; i < b.N; i++ {
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		h := md5.New()
		if err := read(h, f); err != nil {
			b.Fatal(err)
		}
		f.Close()
		sum = h.Sum(nil)
	}
}

func BenchmarkReadFile(b *testing.B) {
	name := path(b)
	for i := 0; i < b.N; i++ {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		s := md5.Sum(data)
		sum = s[:]
	}
}

func BenchmarkCopy(b *testing.B) {
	files(b, func(w io.Writer, f *os.File) error {
		_, err := io.Copy(w, f)
		return err
	})
}

func BenchmarkBufioCopy(b *testing.B) {
	files(b, func(w io.Writer, f *os.File) error {
		_, err := io.Copy(w, bufio.NewReader(f))
		return err
	})
}

func BenchmarkCopyBuffer4096(b *testing.B) {
	files(b, func(w io.Writer, f *os.File) error {
		_, err := io.CopyBuffer(w, f, make([]byte, 4096))
		return err
	})
}

// onlyReader hides every method but Read, so that io.Copy cannot use WriteTo: what os.File was before Go 1.22.
type onlyReader struct{ io.Reader }

func BenchmarkBufioCopyWithoutWriteTo(b *testing.B) {
	files(b, func(w io.Writer, f *os.File) error {
		_, err := io.Copy(w, bufio.NewReader(onlyReader{f}))
		return err
	})
}

func BenchmarkCopyBuffer4096WithoutWriteTo(b *testing.B) {
	files(b, func(w io.Writer, f *os.File) error {
		_, err := io.CopyBuffer(w, onlyReader{f}, make([]byte, 4096))
		return err
	})
}

// The same lesson for what comes over the network.
func connections(b *testing.B, read func(net.Conn) error) {
	data, err := os.ReadFile(path(b))
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.Copy(c, bytes.NewReader(data))
			c.Close()
		}
	}()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		if err := read(c); err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}

func BenchmarkNetReadAll(b *testing.B) {
	connections(b, func(c net.Conn) error {
		data, err := io.ReadAll(c)
		s := md5.Sum(data)
		sum = s[:]
		return err
	})
}

func BenchmarkNetCopy(b *testing.B) {
	connections(b, func(c net.Conn) error {
		h := md5.New()
		_, err := io.Copy(h, c)
		sum = h.Sum(nil)
		return err
	})
}
