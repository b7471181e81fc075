//go:build !cgo || hashmill_wasm

package hashmill

import (
	"os"
	"path/filepath"
	"testing"
)

// A panic in a goroutine that hashes files becomes the error of those files.
func TestPanicsBesideFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &filesWork{algorithms: []*opaque{MD5.must().c, new(opaque)}, sizes: []int{16, 16}, stop: func() bool { return false }}
	c := &chunk{first: 5, paths: []string{path, path + ".none", path}}
	w.hash(c)
	for i, r := range c.results {
		if r.index != 5+i || r.err == nil || r.digests != nil {
			t.Errorf("%+v", r)
		}
	}
}
