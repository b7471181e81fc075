//go:build unix

package hashmill

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A FIFO is read to its end; a FIFO without a writer does not keep a cancelled call from returning.
func TestFIFO(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	go func() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		f.Write(pattern(100_000))
		f.Close()
	}()
	sum, err := SumFile(MD5, name)
	if err != nil || string(sum) != string(Sum(MD5, pattern(100_000))) {
		t.Errorf("%x, %v", sum, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	ended := make(chan error)
	go func() {
		var last error
		for _, err := range SumFiles(ctx, []string{name, name}, MD5) {
			last = err
		}
		ended <- last
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it waits for a FIFO that nobody writes to")
	}
	// Release goroutines that are still opening the FIFO.
	if f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		f.Close()
	}
}

// A device is read to its end, and a symbolic link to itself is an error. A file that grows or shrinks while it is read
// gives a digest or an ErrIO.
func TestOddFiles(t *testing.T) {
	sum, err := SumFile(MD5, "/dev/null")
	if err != nil || string(sum) != string(Sum(MD5, nil)) {
		t.Errorf("%x, %v", sum, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	os.Symlink(link, link)
	_, err = SumFile(MD5, link)
	if !errors.Is(err, syscall.ELOOP) {
		t.Error(err)
	}
	name := filepath.Join(t.TempDir(), "changing")
	os.WriteFile(name, pattern(5_000_000), 0o600)
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := int64(0); ; n++ {
			select {
			case <-stop:
				return
			default:
				os.Truncate(name, n%2*8_000_000)
			}
		}
	}()
	for range 20 {
		if _, err := SumFile(MD5, name); err != nil && !errors.Is(err, ErrIO) {
			t.Error(err)
		}
	}
	close(stop)
	<-done
}
