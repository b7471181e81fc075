//go:build cgo && !hashmill_wasm

package hashmill

/*
#cgo noescape hmgo_digest
#cgo nocallback hmgo_digest
#cgo noescape hm_hasher_clone_to
#cgo nocallback hm_hasher_clone_to
#cgo noescape hmgo_hmac_add
#cgo nocallback hmgo_hmac_add
#cgo noescape hmgo_hmac_final
#cgo nocallback hmgo_hmac_final
#cgo noescape hmgo_xof_read
#cgo nocallback hmgo_xof_read
#cgo nocallback hmgo_init
#cgo noescape hmgo_add
#cgo nocallback hmgo_add
#cgo noescape hmgo_begin
#cgo nocallback hmgo_begin
#cgo noescape hmgo_final
#cgo nocallback hmgo_final
#cgo nocallback hmgo_many
#cgo nocallback hmgo_column
#cgo noescape hmgo_equal
#cgo nocallback hmgo_equal
#include <stdlib.h>
#include <hashmill.h>

// The inputs as arguments: a structure in Go memory may not contain pointers to Go memory.
static hm_error hmgo_init(hm_hasher *h, const hm_algorithm *a, const uint8_t *key, size_t key_len, const uint8_t *salt, size_t salt_len,
                          const uint8_t *personal, size_t personal_len, const uint8_t *context, size_t context_len, const uint8_t *resume,
                          size_t resume_len, const char *kernel) {
    hm_inputs in = {sizeof in};
    in.key = key, in.key_len = key_len;
    in.salt = salt, in.salt_len = salt_len;
    in.personal = personal, in.personal_len = personal_len;
    in.context = context, in.context_len = context_len;
    in.resume_from = resume, in.resume_from_len = resume_len;
    in.kernel = kernel;
    return hm_hasher_init(h, a, &in);
}

// Bytes are passed as uint8_t *. For a void *, Go would check at each call whether the object that it points into
// contains pointers: that takes a third of the time of a call, and rejects bytes that are in the same object as
// pointers.

static bool hmgo_equal(const uint8_t *x, size_t len_x, const uint8_t *y, size_t len_y) { return hm_equal(x, len_x, y, len_y); }

// Go would check every message in the list; all of them are pinned.
static hm_error hmgo_many(const hm_algorithm *a, size_t threads, const uint8_t *list, size_t count, uint8_t *out, size_t len) {
    return hm_digest_many_threads(a, threads, (const hm_bytes *)list, count, HM_RAW, out, len);
}

static hm_error hmgo_column(const hm_algorithm *a, size_t threads, const uint8_t *offsets, uint32_t type, size_t count, const uint8_t *data, size_t len,
                            uint8_t *out, size_t out_len) {
    return hm_digest_column_threads(a, threads, offsets, type, count, data, len, HM_RAW, out, out_len);
}

static hm_error hmgo_combine(const hm_algorithm *a, const uint8_t *x, const uint8_t *y, uint64_t len_y, uint8_t *out, size_t len) {
    return hm_combine(a, x, y, len_y, out, len);
}

static hm_error hmgo_update_bits(hm_hasher *h, const uint8_t *b, uint64_t bits) { return hm_hasher_update_bits(h, b, bits); }

static hm_error hmgo_export(const hm_hasher *h, uint8_t *out, size_t room, size_t *len) { return hm_hasher_export(h, out, room, len); }

static hm_error hmgo_import(const uint8_t *state, size_t len, hm_hasher *to) { return hm_hasher_import_to(state, len, NULL, to); }

static hm_error hmgo_hmac_new(const hm_algorithm *a, const uint8_t *key, size_t len, hm_hmac **out) { return hm_hmac_new(a, key, len, out); }

static hm_error hmgo_hmac_final(hm_hmac *m, const uint8_t *last, size_t last_len, uint8_t *out, size_t len) {
    hm_error e = last_len ? hm_hmac_update(m, last, last_len) : HM_OK;
    return e ? e : hm_hmac_final(m, out, len);
}

static bool hmgo_hmac_verify(const hm_hmac *m, const uint8_t *code, size_t len) { return hm_hmac_verify(m, code, len); }

static hm_error hmgo_part_new(const hm_algorithm *a, uint64_t place, const uint8_t *data, size_t len, hm_part **out) {
    return hm_part_new(a, place, data, len, out);
}

static hm_error hmgo_parts_final(hm_parts *p, const uint8_t *last, size_t last_len, uint8_t *out, size_t len) {
    return hm_parts_final(p, last, last_len, out, len);
}

// A C call takes as long as hashing some dozens of bytes, so each operation of a Go method is a single C call.

static hm_error hmgo_digest(const hm_algorithm *a, const uint8_t *m, size_t len, uint8_t *out, size_t out_len) { return hm_digest(a, m, len, out, out_len); }

static hm_error hmgo_hmac_add(hm_hmac *m, const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len) {
    hm_error e = a_len ? hm_hmac_update(m, a, a_len) : HM_OK;
    return e || !b_len ? e : hm_hmac_update(m, b, b_len);
}

static hm_error hmgo_xof_read(hm_xof *x, uint8_t *out, size_t len) { return hm_xof_read(x, out, len); }

static hm_error hmgo_add(hm_hasher *h, const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len) {
    hm_error e = a_len ? hm_hasher_update(h, a, a_len) : HM_OK;
    return e || !b_len ? e : hm_hasher_update(h, b, b_len);
}

// Makes a hasher, or resets it if there is one. The digest may overwrite the bytes.
static hm_error hmgo_begin(hm_hasher *h, const hm_algorithm *algorithm, const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, uint8_t *out,
                           size_t len) {
    hm_error e = algorithm ? hm_hasher_init(h, algorithm, NULL) : hm_hasher_reset(h);
    if (!e) e = hmgo_add(h, a, a_len, b, b_len);
    return e || !len ? e : hm_hasher_final(h, out, len);
}

static hm_error hmgo_final(hm_hasher *h, int reset, const uint8_t *last, size_t last_len, uint8_t *out, size_t len) {
    hm_error e = reset ? hm_hasher_reset(h) : HM_OK;
    if (!e && last_len) e = hm_hasher_update(h, last, last_len);
    return e ? e : hm_hasher_final(h, out, len);
}

static void hmgo_facts(const hm_algorithm *a, uint64_t *out) {
    out[0] = hm_algorithm_digest_len(a);
    out[1] = hm_algorithm_min_digest_len(a);
    out[2] = hm_algorithm_max_digest_len(a);
    out[3] = hm_algorithm_block_len(a);
    out[4] = hm_algorithm_max_key_len(a);
    out[5] = hm_algorithm_max_salt_len(a);
    out[6] = hm_algorithm_max_personal_len(a);
    out[7] = hm_algorithm_security(a);
    out[8] = hm_algorithm_year(a);
    out[9] = hm_algorithm_collision_bits(a);
    out[10] = hm_algorithm_seed_bits(a);
    out[11] = hm_algorithm_takes_context(a);
    out[12] = hm_algorithm_tells_files_apart(a);
    out[13] = hm_algorithm_is_extendable(a);
    out[14] = hm_algorithm_is_divisible(a);
    out[15] = hm_algorithm_takes_bits(a);
}

static size_t hmgo_text(const hm_algorithm *a, int which, size_t index, char *out, size_t size) {
    switch (which) {
    case 0: return hm_algorithm_name(a, out, size);
    case 1: return hm_algorithm_alias(a, index, out, size);
    case 2: return hm_algorithm_family(a, out, size);
    case 3: return hm_algorithm_specification(a, out, size);
    default: return hm_algorithm_security_reason(a, out, size);
    }
}
*/
import "C"

import (
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// engine says how the package calls the library.
const engine = "cgo"

// checked says, computing it once, whether the library has the version that the package was compiled with.
var checked = sync.OnceValue(func() error {
	if have := C.GoString(C.hm_version()); have != C.HM_VERSION {
		return failure(ErrNoLibrary, "the program was built with libhashmill %s and runs with %s", C.HM_VERSION, have)
	}
	return nil
})

func libVersion() string { return C.GoString(C.hm_version()) }

// why makes a call that may fail, and fetches the error message, which is per thread.
func why(call func() C.hm_error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if e := call(); e != 0 {
		return &Error{Kind(e), C.GoString(C.hm_error_message())}
	}
	return nil
}

// never is for calls that cannot fail the way this package makes them.
func never(e C.hm_error) {
	if e != 0 {
		panic(failure(ErrInternal, "the library says %q where it cannot fail", C.GoString(C.hm_error_name(C.uint32_t(e)))))
	}
}

func (c *opaque) p() *C.hm_algorithm { return (*C.hm_algorithm)(unsafe.Pointer(c)) }

// at returns a pointer to the first byte, or nil.
func at(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

func libParse(name string) (*opaque, error) {
	if err := checked(); err != nil {
		return nil, err
	}
	if strings.IndexByte(name, 0) >= 0 {
		return nil, failure(ErrUnknownAlgorithm, "unknown algorithm %q", name)
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	c := new(opaque)
	if err := why(func() C.hm_error { return C.hm_algorithm_parse(text, c.p()) }); err != nil {
		return nil, err
	}
	return c, nil
}

func libAt(index int) (*opaque, bool) {
	c := new(opaque)
	return c, C.hm_algorithm_at(C.size_t(index), c.p()) == 0
}

func libWithSize(a *opaque, size int) (*opaque, error) {
	c := new(opaque)
	return c, why(func() C.hm_error { return C.hm_algorithm_with_digest_len(a.p(), C.size_t(size), c.p()) })
}

func libWithSeed(a *opaque, seed uint64) (*opaque, error) {
	c := new(opaque)
	return c, why(func() C.hm_error { return C.hm_algorithm_with_seed(a.p(), C.uint64_t(seed), c.p()) })
}

func libFacts(a *opaque) facts {
	var n [factCount]uint64
	C.hmgo_facts(a.p(), (*C.uint64_t)(&n[0]))
	return factsOf(&n)
}

func libText(a *opaque, which text, index int) string {
	var room [256]byte
	for b := room[:]; ; {
		n := int(C.hmgo_text(a.p(), C.int(which), C.size_t(index), (*C.char)(unsafe.Pointer(at(b))), C.size_t(len(b))))
		if n < len(b) {
			return string(b[:n])
		}
		b = make([]byte, n+1)
	}
}

func libKernels(a *opaque) []Kernel {
	all := make([]Kernel, C.hm_kernel_count(a.p()))
	for i := range all {
		var k C.struct_hm_kernel
		never(C.hm_kernel_at(a.p(), C.size_t(i), &k))
		all[i] = Kernel{C.GoString(&k.name[0]), int(k.lanes), int(k.from_messages), bool(k.available), bool(k.active)}
	}
	return all
}

func libDigest(a *opaque, data, out []byte) {
	if C.hmgo_digest(a.p(), at(data), C.size_t(len(data)), at(out), C.size_t(len(out))) == 0 {
		return
	}
	// The digest would overwrite the message, which the library does not support.
	apart := make([]byte, len(out))
	never(C.hmgo_digest(a.p(), at(data), C.size_t(len(data)), at(apart), C.size_t(len(apart))))
	copy(out, apart)
}

// Shorter messages are copied together, which takes less time than pinning them.
const pinFrom = 512

func libMany(a *opaque, messages [][]byte, out []byte) {
	total, short, apart := 0, true, false
	for _, m := range messages {
		total += len(m)
		short = short && len(m) < pinFrom
		apart = apart || overlap(m, out)
	}
	if apart {
		// The digests would overwrite a message, which the library does not support.
		apart := make([]byte, len(out))
		libMany(a, messages, apart)
		copy(out, apart)
		return
	}
	if short {
		manyShort(a, messages, total, out)
		return
	}
	// C memory may not contain pointers to Go memory that is not pinned. Messages in one allocation are pinned once.
	var pinner runtime.Pinner
	defer pinner.Unpin()
	list := make([]C.struct_hm_bytes, len(messages))
	var from, to uintptr
	for i, m := range messages {
		if len(m) == 0 {
			continue
		}
		first := unsafe.SliceData(m)
		if here := uintptr(unsafe.Pointer(first)); here < from || here >= to {
			pinner.Pin(first)
			from, to = here, here+uintptr(cap(m))
		}
		list[i].data, list[i].len = unsafe.Pointer(first), C.size_t(len(m))
	}
	first := (*C.uint8_t)(unsafe.Pointer(&list[0]))
	never(C.hmgo_many(a.p(), C.size_t(runtime.GOMAXPROCS(0)), first, C.size_t(len(list)), at(out), C.size_t(len(out))))
}

// A bunch is short messages, one after the other: enough bytes and enough messages to make the cost of another bunch
// negligible.
type bunch struct {
	data    [bunchBytes + pinFrom]byte
	offsets [bunchCount + 1]uint32
}

const bunchBytes, bunchCount = 256 << 10, 16384

var bunches = sync.Pool{New: func() any { return new(bunch) }}

// manyShort copies messages on several goroutines, since that takes about as long as hashing them; so each goroutine
// hashes what it has copied.
func manyShort(a *opaque, messages [][]byte, total int, out []byte) {
	size := len(out) / len(messages)
	var lock sync.Mutex
	next := 0
	work := func() {
		b := bunches.Get().(*bunch)
		defer bunches.Put(b)
		for {
			lock.Lock()
			first, bytes := next, 0
			for next < len(messages) && next-first < bunchCount && bytes < bunchBytes {
				bytes += len(messages[next])
				next++
			}
			mine, room := messages[first:next], out[first*size:next*size]
			lock.Unlock()
			if len(mine) == 0 {
				return
			}
			n := 0
			for i, m := range mine {
				n += copy(b.data[n:], m)
				b.offsets[i+1] = uint32(n)
			}
			never(C.hmgo_column(a.p(), 1, at(offsetBytes(b.offsets[:])), offsets32, C.size_t(len(mine)), at(b.data[:]), C.size_t(n), at(room), C.size_t(len(room))))
		}
	}
	var wait sync.WaitGroup
	if total >= spreadFrom {
		for range runtime.GOMAXPROCS(0) - 1 {
			wait.Go(work)
		}
	}
	work()
	wait.Wait()
}

// spreadFrom is how many bytes of short messages are worth another goroutine: a few hundred microseconds of work.
const spreadFrom = 1 << 20

func libColumn(a *opaque, offsets []byte, kind uint32, count int, data, out []byte) error {
	if overlap(data, out) || overlap(offsets, out) {
		apart := make([]byte, len(out))
		if err := libColumn(a, offsets, kind, count, data, apart); err != nil {
			return err
		}
		copy(out, apart)
		return nil
	}
	return why(func() C.hm_error {
		return C.hmgo_column(a.p(), C.size_t(runtime.GOMAXPROCS(0)), at(offsets), C.uint32_t(kind), C.size_t(count), at(data), C.size_t(len(data)), at(out), C.size_t(len(out)))
	})
}

func libCombine(a *opaque, x, y []byte, lenY uint64, out []byte) error {
	return why(func() C.hm_error {
		return C.hmgo_combine(a.p(), at(x), at(y), C.uint64_t(lenY), at(out), C.size_t(len(out)))
	})
}

func libEqual(x, y []byte) bool {
	return bool(C.hmgo_equal(at(x), C.size_t(len(x)), at(y), C.size_t(len(y))))
}

// inC counts objects with an allocation made by the library.
var inC census

// A state is a library hasher in Go memory. Most need nothing else; those with a key, a salt or the like keep it in an
// allocation made by the library, and need a cleanup.
type state struct {
	p       unsafe.Pointer // Go's collector does not move what is on the heap
	owns    bool
	cleanup runtime.Cleanup // of what it owns
}

// stateRoom allocates room for a hasher: on the heap, at a multiple of 64 bytes.
func stateRoom() unsafe.Pointer {
	room := new([C.HM_HASHER_BYTES]byte)
	if p := unsafe.Pointer(room); uintptr(p)%64 == 0 {
		return p
	}
	more := new([C.HM_HASHER_BYTES + 63]byte)
	p := unsafe.Pointer(more)
	return unsafe.Add(p, (64-uintptr(p)%64)%64)
}

func (s *state) h() *C.hm_hasher {
	if s.p == nil {
		panic(failure(ErrBadArgument, "there is no hash: New makes one"))
	}
	return (*C.hm_hasher)(s.p)
}

var someByte = []byte{0}

func (s *state) makeWith(a *opaque, in *inputs) error {
	s.p, s.owns = stateRoom(), true
	key, context := at(in.key), at(stringBytes(in.context))
	resume := at(in.resume)
	// With length 0, null means none, and anything else means empty.
	for _, x := range []struct {
		first **C.uint8_t
		bytes int
		given bool
	}{{&key, len(in.key), in.hasKey}, {&context, len(in.context), in.hasContext}, {&resume, len(in.resume), in.hasResume}} {
		if x.bytes == 0 {
			*x.first = nil
			if x.given {
				*x.first = at(someByte)
			}
		}
	}
	var kernel *C.char
	if in.kernel != "" {
		if strings.IndexByte(in.kernel, 0) >= 0 {
			return failure(ErrUnknownKernel, "unknown kernel %q", in.kernel)
		}
		kernel = C.CString(in.kernel)
		defer C.free(unsafe.Pointer(kernel))
	}
	err := why(func() C.hm_error {
		return C.hmgo_init(s.h(), a.p(), key, C.size_t(len(in.key)), at(in.salt), C.size_t(len(in.salt)), at(in.personal),
			C.size_t(len(in.personal)), context, C.size_t(len(in.context)), resume, C.size_t(len(in.resume)), kernel)
	})
	s.owns = err == nil
	return err
}

// cleanUp frees what the library keeps for the state when its owner is gone.
func (s *state) cleanUp(owner *Hash) {
	if s.owns {
		s.cleanup = runtime.AddCleanup(owner, freeState, s.p)
	}
}

func freeState(p unsafe.Pointer) { C.hm_hasher_free((*C.hm_hasher)(p)) }

// leave gives up a state whose owner gets another one.
func (s *state) leave() {
	if s.owns {
		s.cleanup.Stop()
		s.drop()
	}
}

// drop frees a state that has no owner.
func (s *state) drop() {
	freeState(s.p)
	s.owns = false
}

// begin makes a hasher, or resets the existing one, and gives it the first bytes of a message, whose digest it writes
// if there is room. It reports whether it made one.
func (s *state) begin(c *opaque, a, b, digest []byte) (made bool) {
	algorithm := (*C.hm_algorithm)(nil)
	if s.p == nil {
		s.p, algorithm, made = stateRoom(), c.p(), true
	}
	never(C.hmgo_begin(s.h(), algorithm, at(a), C.size_t(len(a)), at(b), C.size_t(len(b)), at(digest), C.size_t(len(digest))))
	return made
}

// add gives it more of the message.
func (s *state) add(a, b []byte) {
	never(C.hmgo_add(s.h(), at(a), C.size_t(len(a)), at(b), C.size_t(len(b))))
}

// final adds the last bytes and writes the digest; the message may go on.
func (s *state) final(last, out []byte) {
	never(C.hmgo_final(s.h(), 0, at(last), C.size_t(len(last)), at(out), C.size_t(len(out))))
}

// whole is the digest of a message that has not begun.
func (s *state) whole(m, out []byte) {
	never(C.hmgo_final(s.h(), 1, at(m), C.size_t(len(m)), at(out), C.size_t(len(out))))
}

func (s *state) updateBits(p []byte, bits uint64) error {
	return why(func() C.hm_error { return C.hmgo_update_bits(s.h(), at(p), C.uint64_t(bits)) })
}

func (s *state) cloneTo(c *state) {
	c.p, c.owns = stateRoom(), s.owns
	never(C.hm_hasher_clone_to(s.h(), c.h()))
}

func (s *state) export(b []byte) ([]byte, error) {
	b, room := extend(b, C.HM_MAX_STATE_BYTES)
	n := new(C.size_t)
	if err := why(func() C.hm_error { return C.hmgo_export(s.h(), at(room), C.size_t(len(room)), n) }); err != nil {
		return nil, err
	}
	return b[:len(b)-len(room)+int(*n)], nil
}

func (s *state) load(b []byte) (*opaque, error) {
	if err := checked(); err != nil {
		return nil, err
	}
	s.p = stateRoom()
	err := why(func() C.hm_error { return C.hmgo_import(at(b), C.size_t(len(b)), s.h()) })
	if err != nil {
		return nil, err
	}
	s.owns = true
	c := new(opaque)
	never(C.hm_hasher_algorithm(s.h(), c.p()))
	return c, nil
}

// An output produces the output for a message.
type output struct{ p *C.struct_hm_xof }

func (s *state) output() *output {
	o := new(output)
	never(C.hm_xof_new(s.h(), &o.p))
	return o
}

func (o *output) cleanUp() {
	runtime.AddCleanup(o, freeOutput, o.p)
	inC.made()
}

func freeOutput(p *C.struct_hm_xof) {
	C.hm_xof_free(p)
	inC.freed()
}

func (o *output) read(b []byte) { never(C.hmgo_xof_read(o.p, at(b), C.size_t(len(b)))) }

type mac struct{ p *C.struct_hm_hmac }

func (m *mac) make(a *opaque, key []byte) error {
	return why(func() C.hm_error { return C.hmgo_hmac_new(a.p(), at(key), C.size_t(len(key)), &m.p) })
}

func (m *mac) cleanUp(owner *HMAC) {
	runtime.AddCleanup(owner, freeMac, m.p)
	inC.made()
}

func freeMac(p *C.struct_hm_hmac) {
	C.hm_hmac_free(p)
	inC.freed()
}

func (m *mac) h() *C.struct_hm_hmac {
	if m.p == nil {
		panic(failure(ErrBadArgument, "there is no HMAC: NewHMAC makes one"))
	}
	return m.p
}

func (m *mac) add(a, b []byte) {
	never(C.hmgo_hmac_add(m.h(), at(a), C.size_t(len(a)), at(b), C.size_t(len(b))))
}

// final adds the last bytes and writes the code; the message may go on.
func (m *mac) final(last, out []byte) {
	never(C.hmgo_hmac_final(m.h(), at(last), C.size_t(len(last)), at(out), C.size_t(len(out))))
}

func (m *mac) verify(code []byte) bool {
	return bool(C.hmgo_hmac_verify(m.h(), at(code), C.size_t(len(code))))
}

func (m *mac) reset() { never(C.hm_hmac_reset(m.h())) }

func (m *mac) cloneTo(c *mac) { never(C.hm_hmac_clone(m.h(), &c.p)) }

type part struct{ p *C.struct_hm_part }

func (x *part) make(a *opaque, place uint64, data []byte) error {
	return why(func() C.hm_error {
		return C.hmgo_part_new(a.p(), C.uint64_t(place), at(data), C.size_t(len(data)), &x.p)
	})
}

func (x *part) cleanUp(owner *Part) {
	runtime.AddCleanup(owner, freePart, x.p)
	inC.made()
}

func freePart(p *C.struct_hm_part) {
	C.hm_part_free(p)
	inC.freed()
}

type parts struct{ p *C.struct_hm_parts }

func (x *parts) make(a *opaque, size int) error {
	return why(func() C.hm_error { return C.hm_parts_new(a.p(), C.size_t(size), &x.p) })
}

func (x *parts) cleanUp(owner *Parts) {
	runtime.AddCleanup(owner, freeParts, x.p)
	inC.made()
}

func freeParts(p *C.struct_hm_parts) {
	C.hm_parts_free(p)
	inC.freed()
}

func (x *parts) push(next *part) error {
	return why(func() C.hm_error { return C.hm_parts_push(x.p, next.p) })
}

func (x *parts) final(last, out []byte) error {
	return why(func() C.hm_error {
		return C.hmgo_parts_final(x.p, at(last), C.size_t(len(last)), at(out), C.size_t(len(out)))
	})
}

func cacheCompiled(string) {}
