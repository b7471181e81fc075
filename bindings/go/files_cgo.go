//go:build cgo && !hashmill_wasm

package hashmill

/*
#include <stdlib.h>
#include <stdint.h>
#include <hashmill.h>

extern int hashmillGoFile(uintptr_t user, struct hm_file *file);
extern int hashmillGoTick(uintptr_t user, struct hm_files_progress *progress);

static inline int hmgo_file(void *user, const struct hm_file *file) { return hashmillGoFile((uintptr_t)user, (struct hm_file *)file); }
static inline int hmgo_tick(void *user, const struct hm_files_progress *p) {
    return hashmillGoTick((uintptr_t)user, (struct hm_files_progress *)p);
}

// The algorithms are stored one after the other, and so are the paths, each followed by a zero byte.
static inline hm_error hmgo_files(const hm_algorithm *algorithms, size_t algorithm_count, const char *text, size_t count, size_t threads,
                                  uintptr_t user) {
    const hm_algorithm **a = malloc((algorithm_count + 1) * sizeof *a);
    const char **paths = malloc((count + 1) * sizeof *paths);
    hm_error e = HM_NO_MEMORY;
    if (a && paths) {
        for (size_t i = 0; i < algorithm_count; i++) a[i] = algorithms + i;
        for (size_t i = 0; i < count; i++) {
            paths[i] = text;
            while (*text++) { }
        }
        e = hm_digest_files(a, algorithm_count, paths, count, threads, hmgo_file, hmgo_tick, (void *)user);
    }
    free(a);
    free(paths);
    return e;
}
*/
import "C"

import (
	"runtime"
	"runtime/cgo"
	"syscall"
	"unsafe"
)

// A filesJob is one call of libFiles.
type filesJob struct {
	filesCalls
	places  []int // of the paths that the library was given, among all; nil if they are all
	without int   // how many it was not given
	next    int   // the first place that nothing has been said of
}

// skipped reports the paths before place that the library was not given.
func (j *filesJob) skipped(place int) {
	for ; j.next < place; j.next++ {
		j.done(found{index: j.next, err: errNul})
	}
	j.next = place + 1
}

// unlessStopped is the return value for the library, which stops on anything but 0. No user code runs in here, so no
// panic can pass through C.
func (j *filesJob) unlessStopped(call func()) C.int {
	if j.stop() {
		return 1
	}
	call()
	if j.stop() {
		return 1
	}
	return 0
}

//export hashmillGoFile
func hashmillGoFile(user C.uintptr_t, file *C.struct_hm_file) C.int {
	j := cgo.Handle(user).Value().(*filesJob)
	return j.unlessStopped(func() {
		place := int(file.index)
		if j.places != nil {
			place = j.places[place]
		}
		j.skipped(place)
		r := found{index: place}
		if file.error == 0 {
			r.digests = C.GoBytes(unsafe.Pointer(file.digests), C.int(file.digests_len))
		} else {
			r.err = newFileError(C.GoString(file.message))
		}
		j.done(r)
	})
}

//export hashmillGoTick
func hashmillGoTick(user C.uintptr_t, p *C.struct_hm_files_progress) C.int {
	j := cgo.Handle(user).Value().(*filesJob)
	return j.unlessStopped(func() {
		if j.tick != nil {
			skipped := 0
			if p.complete != 0 {
				skipped = j.without
			} else if j.without > 0 {
				skipped = j.next - min(j.next, int(p.files))
			}
			j.tick(FilesProgress{int64(p.bytes), int64(p.bytes_total), int(p.files) + skipped, int(p.files_total) + skipped, p.complete != 0})
		}
	})
}

// newFileError recognizes the system's error by its text.
func newFileError(message string) error {
	for n := syscall.Errno(1); n < 134; n++ {
		if n.Error() == message {
			return &fileError{message, n}
		}
	}
	return &fileError{message, nil}
}

func libFiles(algorithms []*opaque, paths []string, threads int, calls filesCalls) error {
	bytes, good := 0, 0
	for _, p := range paths {
		if !badPath(p) {
			bytes += len(p) + 1
			good++
		}
	}
	j := &filesJob{filesCalls: calls, without: len(paths) - good}
	text := C.malloc(C.size_t(bytes + 1))
	if text == nil {
		return failure(ErrNoMemory, "no memory for %d paths", len(paths))
	}
	defer C.free(text)
	if j.without > 0 {
		j.places = make([]int, 0, good)
	}
	rest := unsafe.Slice((*byte)(text), bytes+1)
	for i, p := range paths {
		if badPath(p) {
			continue
		}
		n := copy(rest, p)
		rest[n] = 0
		rest = rest[n+1:]
		if j.places != nil {
			j.places = append(j.places, i)
		}
	}
	list := make([]opaque, len(algorithms))
	for i, a := range algorithms {
		list[i] = *a
	}
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	handle := cgo.NewHandle(j)
	defer handle.Delete()
	err := why(func() C.hm_error {
		return C.hmgo_files(list[0].p(), C.size_t(len(list)), (*C.char)(text), C.size_t(good), C.size_t(threads), C.uintptr_t(handle))
	})
	if err == nil {
		j.skipped(len(paths))
	}
	return err
}
