package hashmill

import (
	"bytes"
	"crypto/sha1"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Messages of more than 4 GiB: lengths that do not fit in 32 bits.
func TestLong(t *testing.T) {
	if os.Getenv("HASHMILL_TEST_TIER") != "long" {
		t.Skip("HASHMILL_TEST_TIER is not long")
	}
	if strconv.IntSize < 64 {
		t.Skip("no message of this length fits this machine")
	}
	long := int64(4) << 30
	m := make([]byte, long+12345)
	copy(m[long:], pattern(12345))
	want, crc := sha1.Sum(m), crc32.ChecksumIEEE(m)
	if got := Sum(SHA1, m); !bytes.Equal(got, want[:]) {
		t.Errorf("Sum: %x", got)
	}
	if got := number(Sum(CRC32, m)); got != uint64(crc) {
		t.Errorf("CRC-32: %x", got)
	}
	h := NewSHA1()
	h.Write(m)
	if got := h.Sum(nil); !bytes.Equal(got, want[:]) {
		t.Errorf("Write: %x", got)
	}
	if got, err := SumReader(SHA1, bytes.NewReader(m)); err != nil || !bytes.Equal(got, want[:]) {
		t.Errorf("SumReader: %x, %v", got, err)
	}
	all := SumMany(SHA1, [][]byte{m[:5], m, nil})
	if !bytes.Equal(all[1], want[:]) {
		t.Errorf("SumMany: %x", all[1])
	}
	column, err := AppendColumn(nil, SHA1, []int64{0, int64(len(m))}, m)
	if err != nil || !bytes.Equal(column, want[:]) {
		t.Errorf("AppendColumn: %x, %v", column, err)
	}
	name := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	// A sparse file, which takes no space on the disk.
	if _, err := f.WriteAt(m[long:], long); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got, err := SumFile(SHA1, name); err != nil || !bytes.Equal(got, want[:]) {
		t.Errorf("SumFile: %x, %v", got, err)
	}
}
