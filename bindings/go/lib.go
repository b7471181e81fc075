package hashmill

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// A text identifies one of the library's texts about an algorithm.
type text int

const (
	textName text = iota
	textAlias
	textFamily
	textSpecification
	textReason
)

// factCount is how many numbers the facts consist of.
const factCount = 16

func factsOf(n *[factCount]uint64) facts {
	return facts{
		size: int(n[0]), minSize: int(n[1]), maxSize: int(n[2]), block: int(n[3]),
		maxKey: clamp(n[4]), maxSalt: clamp(n[5]), maxPersonal: clamp(n[6]),
		security: int(n[7]), year: int(n[8]), collision: int(n[9]), seed: int(n[10]),
		context: n[11] != 0, files: n[12] != 0, extend: n[13] != 0, parts: n[14] != 0, bit: n[15] != 0,
	}
}

// clamp limits lengths to what an int can hold.
func clamp(n uint64) int {
	const most = int(^uint(0) >> 1)
	if n > uint64(most) {
		return most
	}
	return int(n)
}

// stringBytes returns a string's bytes, which must not be written to.
func stringBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// offsetBytes returns numbers as bytes, which must not be written to.
func offsetBytes[T Offset](offsets []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(offsets))), len(offsets)*int(unsafe.Sizeof(T(0))))
}

// overlap reports whether the two have a byte in common.
func overlap(a, b []byte) bool {
	first, second := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return len(a) > 0 && len(b) > 0 && first < second+uintptr(len(b)) && second < first+uintptr(len(a))
}

// A census counts objects whose memory the garbage collector does not see, or underestimates: it would let any number
// of them pile up before it runs. It is asked to run when there are twice as many as it left the last time.
type census struct{ alive, limit atomic.Int64 }

// Fewer than fewest objects are not worth a collection: some dozens of MiB.
const fewest = 4096

func (c *census) made() {
	if n := c.alive.Add(1); n > max(c.limit.Load(), fewest) {
		runtime.GC()
		// Cleanups run a little later.
		for range 10 {
			if c.alive.Load() < n/2 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		c.limit.Store(2 * c.alive.Load())
	}
}

func (c *census) freed() { c.alive.Add(-1) }
