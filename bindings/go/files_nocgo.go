//go:build !cgo || hashmill_wasm

package hashmill

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

// Files of up to this many bytes are read whole and hashed side by side.
const smallFile = 32 << 10

// A chunk is consecutive files that one goroutine hashes: many small ones or a large one.
type chunk struct {
	first   int
	paths   []string
	results []found
	done    chan struct{}
}

// errStopped is the error for files that nobody is waiting for any more.
var errStopped = errors.New("stopped")

type filesWork struct {
	algorithms          []*opaque
	sizes               []int
	stop                func() bool
	bytes, total, files atomic.Int64
	looked              atomic.Int64
}

func libFiles(algorithms []*opaque, paths []string, threads int, calls filesCalls) error {
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	w := &filesWork{algorithms: algorithms, stop: calls.stop}
	for _, a := range algorithms {
		w.sizes = append(w.sizes, libFacts(a).size)
	}
	work, order := make(chan *chunk), make(chan *chunk, 2*threads)
	for range threads {
		go func() {
			for c := range work {
				w.hash(c)
				close(c.done)
			}
		}()
	}
	go func() {
		defer close(order)
		defer close(work)
		for first := 0; first < len(paths) && !w.stop(); {
			n := w.look(paths[first:])
			c := &chunk{first: first, paths: paths[first : first+n], done: make(chan struct{})}
			first += n
			order <- c
			work <- c
		}
	}()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	tick := func() {
		if calls.tick != nil {
			looked := int(w.looked.Load())
			calls.tick(FilesProgress{w.bytes.Load(), w.total.Load(), int(w.files.Load()), looked, looked == len(paths)})
		}
	}
	// Ending it does not wait for calls that may never return, such as opening a FIFO; the goroutines exit when those do.
	defer func() {
		go func() {
			for range order {
			}
		}()
	}()
	for c := range order {
		for waiting := true; waiting; {
			select {
			case <-c.done:
				waiting = false
			case <-ticker.C:
				if w.stop() {
					return failure(ErrCancelled, "the caller ended it")
				}
				tick()
			}
		}
		for _, r := range c.results {
			if w.stop() {
				return failure(ErrCancelled, "the caller ended it")
			}
			calls.done(r)
		}
	}
	if w.stop() {
		return failure(ErrCancelled, "the caller ended it")
	}
	tick()
	return nil
}

// look says how many of the next files are one chunk.
func (w *filesWork) look(paths []string) int {
	bytes := int64(0)
	for i, p := range paths[:min(len(paths), 64)] {
		size, alone := int64(0), false
		if info, err := os.Stat(p); err == nil {
			if info.Mode().IsRegular() {
				size = info.Size()
			}
			alone = !info.Mode().IsRegular() || size > smallFile
		}
		if i > 0 && (alone || bytes+size > batchBytes) {
			return i
		}
		w.looked.Add(1)
		w.total.Add(size)
		if bytes += size; alone {
			return i + 1
		}
	}
	return min(len(paths), 64)
}

func (w *filesWork) hash(c *chunk) {
	c.results = make([]found, len(c.paths))
	defer func() {
		// A panic could not be recovered here, so it becomes the error of the files that have no result yet.
		if p := recover(); p != nil {
			err, ok := p.(error)
			if !ok {
				err = failure(ErrInternal, "%v", p)
			}
			for i := range c.results {
				c.results[i].index = c.first + i
				if r := &c.results[i]; r.err == nil && len(r.digests) < w.digests() {
					r.digests, r.err = nil, err
				}
			}
		}
	}()
	var messages [][]byte
	var places []int
	for i, p := range c.paths {
		r := &c.results[i]
		r.index = c.first + i
		whole := []byte(nil)
		if whole, r.digests, r.err = w.read(p); r.err == nil && r.digests == nil {
			messages, places = append(messages, whole), append(places, i)
		}
	}
	// For every algorithm, the digests of all files, which are then distributed to the files.
	for _, i := range places {
		c.results[i].digests = []byte{}
	}
	for k, a := range w.algorithms {
		if len(messages) == 0 {
			break
		}
		size := w.sizes[k]
		out := make([]byte, size*len(messages))
		libMany(a, messages, out)
		for n, i := range places {
			c.results[i].digests = append(c.results[i].digests, out[n*size:(n+1)*size]...)
		}
	}
	w.files.Add(int64(len(c.paths)))
}

// digests is how many bytes a file's digests take.
func (w *filesWork) digests() (sum int) {
	for _, n := range w.sizes {
		sum += n
	}
	return sum
}

// read returns the bytes of a small file, or the digests of a large one.
func (w *filesWork) read(path string) (whole, digests []byte, err error) {
	if badPath(path) {
		return nil, nil, errNul
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, newFileError(err)
	}
	defer f.Close()
	whole = make([]byte, 0, smallFile+1)
	for len(whole) < cap(whole) {
		n, err := f.Read(whole[len(whole):cap(whole)])
		whole = whole[:len(whole)+n]
		w.bytes.Add(int64(n))
		if err == io.EOF {
			return whole, nil, nil
		}
		if err != nil {
			return nil, nil, newFileError(err)
		}
		if w.stop() {
			return nil, nil, errStopped
		}
	}
	states := make([]state, len(w.algorithms))
	for i, a := range w.algorithms {
		states[i].begin(a, nil, whole, nil)
		defer states[i].drop()
	}
	buffer := readBuffers.Get().(*[readAtOnce]byte)
	defer readBuffers.Put(buffer)
	for {
		n, err := f.Read(buffer[:])
		for i := range states {
			states[i].add(nil, buffer[:n])
		}
		w.bytes.Add(int64(n))
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, newFileError(err)
		}
		if w.stop() {
			return nil, nil, errStopped
		}
	}
	for i := range states {
		var room []byte
		digests, room = extend(digests, w.sizes[i])
		states[i].final(nil, room)
	}
	return nil, digests, nil
}

// newFileError leaves out the path, which the caller adds.
func newFileError(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return &fileError{err.Error(), err}
}
