package hashmill

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
)

// A FileSum is the result for one file.
type FileSum struct {
	Index int      // its index among the paths, from 0
	Path  string   // as it was given
	Sums  [][]byte // the digests in the order of the algorithms; nil where there is an error
}

// A FilesProgress says how far the work has got.
type FilesProgress struct {
	Bytes, BytesTotal int64 // read; in all files that have been looked at, but pipes
	Files, FilesTotal int   // done, failed ones too; looked at
	Complete          bool  // every file has been looked at: the totals are final
}

// Files hashes many files, each read once for all algorithms.
type Files struct {
	Algorithms []Algorithm         // at least one
	Threads    int                 // how many hash; 0 for GOMAXPROCS
	Progress   func(FilesProgress) // if not nil, called by the goroutine that loops, about ten times a second and at the end
}

// SumFiles hashes many files, each read once for all algorithms, side by side in the lanes of vector registers and on
// GOMAXPROCS threads. The results come in the order of the paths, each as soon as it is available. A path is anything
// that [os.Open] accepts; links are followed, FIFOs and devices are read to their end.
//
// For a file that cannot be read, the error is a [*fs.PathError] with its path, so errors.Is works with
// [fs.ErrNotExist] and the like; the other files are still hashed. If ctx ends, the last result is its error, with a
// FileSum whose Index is -1. Leaving the loop stops the work.
//
//	for file, err := range hashmill.SumFiles(ctx, paths, hashmill.SHA256) {
//		if err != nil {
//			log.Print(err)
//			continue
//		}
//		fmt.Printf("%x  %s\n", file.Sums[0], file.Path)
//	}
func SumFiles(ctx context.Context, paths []string, algorithms ...Algorithm) iter.Seq2[FileSum, error] {
	return Files{Algorithms: algorithms}.Sum(ctx, paths)
}

// Sum hashes the files at these paths, like [SumFiles].
func (f Files) Sum(ctx context.Context, paths []string) iter.Seq2[FileSum, error] {
	return func(yield func(FileSum, error) bool) {
		if err := f.sum(ctx, paths, yield); err != nil {
			yield(FileSum{Index: -1}, err)
		}
	}
}

// All hashes the files at these paths and waits for all of them. Files that failed have nil digests, and their errors,
// with the paths, are joined into one ([errors.Join]).
func (f Files) All(ctx context.Context, paths []string) ([]FileSum, error) {
	all, failed := make([]FileSum, 0, len(paths)), []error(nil)
	for file, err := range f.Sum(ctx, paths) {
		if err != nil {
			failed = append(failed, err)
		}
		if file.Index >= 0 {
			all = append(all, file)
		}
	}
	return all, errors.Join(failed...)
}

// SumFile returns a file's digest. Errors about the file are a [*fs.PathError].
func SumFile(a Algorithm, path string) ([]byte, error) {
	for file, err := range SumFiles(context.Background(), []string{path}, a) {
		if err != nil {
			return nil, err
		}
		return file.Sums[0], nil
	}
	return nil, failure(ErrInternal, "no result for %s", path)
}

// found is what the library reports for a file.
type found struct {
	index   int
	digests []byte
	err     error
}

// sum passes the result for each file to yield, except for an error that ends everything, for as long as yield wants
// more.
func (f Files) sum(ctx context.Context, paths []string, yield func(FileSum, error) bool) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if len(f.Algorithms) == 0 {
		return failure(ErrBadArgument, "no algorithm given to hash files with")
	}
	if f.Threads < 0 {
		return failure(ErrBadArgument, "%d threads", f.Threads)
	}
	known := make([]*opaque, len(f.Algorithms))
	for i, a := range f.Algorithms {
		e, err := a.known()
		if err != nil {
			return err
		}
		known[i] = e.c
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var stop atomic.Bool
	results, ended := make(chan found, 256), make(chan error, 1)
	// Only the latest is of interest.
	ticks := make(chan FilesProgress, 1)
	calls := filesCalls{
		stop: func() bool { return stop.Load() || ctx.Err() != nil },
		done: func(r found) {
			select {
			case results <- r:
			case <-ctx.Done():
			}
		},
	}
	if f.Progress != nil {
		calls.tick = func(p FilesProgress) {
			select {
			case <-ticks:
			default:
			}
			ticks <- p
		}
	}
	paths = slices.Clone(paths)
	go func() {
		defer close(results)
		ended <- libFiles(known, paths, f.Threads, calls)
	}()
	// Ending it early, even by a panic, does not wait for reads in progress, which may be from a FIFO that nobody writes
	// to.
	defer func() {
		stop.Store(true)
		go func() {
			for range results {
			}
		}()
	}()
	next := func() (r found, more bool) {
		for {
			select {
			case r, more = <-results:
				return r, more
			case p := <-ticks:
				f.Progress(p)
			case <-ctx.Done():
				return found{}, false
			}
		}
	}
	for r, more := next(); more; r, more = next() {
		file := FileSum{Index: r.index, Path: paths[r.index]}
		err := r.err
		if err == nil {
			file.Sums = make([][]byte, len(f.Algorithms))
			rest := r.digests
			for i, a := range f.Algorithms {
				n := a.e.facts.size
				file.Sums[i], rest = rest[:n:n], rest[n:]
			}
		} else {
			err = &fs.PathError{Op: "hash", Path: file.Path, Err: err}
		}
		if !yield(file, err) {
			return nil
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p := <-ticks:
		f.Progress(p)
	default:
	}
	return <-ended
}

// filesCalls are the callbacks that the library calls while it hashes files.
type filesCalls struct {
	stop func() bool // whether to end; asked often
	done func(found)
	tick func(FilesProgress)
}

// errNul is the error for a path that no system accepts.
var errNul = &fileError{"a path with a zero byte in it", syscall.EINVAL}

// badPath says whether a path cannot even be passed to the system.
func badPath(path string) bool { return strings.IndexByte(path, 0) >= 0 }

// A fileError says why a file could not be read, in the library's words and, if known, as the system's error.
type fileError struct {
	message string
	cause   error
}

func (e *fileError) Error() string { return e.message }

func (e *fileError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrIO}
	}
	return []error{ErrIO, e.cause}
}
