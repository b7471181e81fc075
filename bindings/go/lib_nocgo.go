//go:build !cgo || hashmill_wasm

package hashmill

import (
	"context"
	_ "embed"
	"encoding/binary"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// engine says how the package calls the library.
const engine = "wasm"

// The library for WebAssembly: crates/ and bindings/c of the project, with the kernels "portable" and "simd128…" alone.
// It imports nothing from its host. hashmill.wasm.sources has a hash of its sources.
//
//go:embed hashmill.wasm
var module []byte

var cacheDirectory atomic.Pointer[string]

// compiled is the library as machine code; compiling it on first use takes some tenths of a second.
var compiled = sync.OnceValue(func() (c struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}) {
	ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
	config := wazero.NewRuntimeConfig()
	if dir := cacheDirectory.Load(); dir != nil {
		if cache, err := wazero.NewCompilationCacheWithDir(*dir); err == nil {
			config = config.WithCompilationCache(cache)
		}
	}
	c.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	var err error
	if c.module, err = c.runtime.CompileModule(ctx, module); err != nil {
		panic(failure(ErrInternal, "the library cannot be compiled: %v", err))
	}
	return c
})

// cacheCompiled keeps the machine code in this folder.
func cacheCompiled(dir string) { cacheDirectory.Store(&dir) }

// stageSize is how many bytes of a message go into an instance's memory at a time.
const stageSize = 128 << 10

// smallSize is room for names, structures and short digests.
const smallSize = 8 << 10

// An instance is one memory with the library in it. One call runs in it at a time.
type instance struct {
	mutex sync.Mutex
	// Where messages and small values are put.
	stage, small uint32
	memory       api.Memory
	module       api.Module
	functions    map[string]api.Function
	// The arguments of a call, and its result.
	stack [12]uint64
	// The functions used for every piece of a message.
	update, digest, final api.Function

	// Garbage-collected objects, to be freed at the next call: cleanups must not wait for a lock that a call holds.
	garbage struct {
		sync.Mutex
		list []trash
	}
}

type trash struct {
	free string
	p    uint32
}

func newInstance() *instance {
	c := compiled()
	ctx := context.Background()
	m, err := c.runtime.InstantiateModule(ctx, c.module, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		panic(failure(ErrNoMemory, "no memory for the library: %v", err))
	}
	in := &instance{module: m, memory: m.Memory(), functions: map[string]api.Function{}}
	in.update, in.digest, in.final = in.function("hm_hasher_update"), in.function("hm_digest"), in.function("hm_hasher_final")
	in.stage, in.small = in.alloc(stageSize), in.alloc(smallSize)
	return in
}

// There are as many instances as goroutines that can run at once; each is made on first use.
var instances = struct {
	sync.Mutex
	all  []*instance
	next atomic.Uint32
}{}

// pick returns a locked instance: an idle one, if there is one.
func pick() *instance {
	instances.Lock()
	all := instances.all
	instances.Unlock()
	for i := range all {
		in := all[(int(instances.next.Load())+i)%len(all)]
		if in.mutex.TryLock() {
			in.sweep()
			return in
		}
	}
	in := oneMore()
	in.lock()
	return in
}

// oneMore makes an instance or, if there are enough, says whose turn it is.
func oneMore() *instance {
	instances.Lock()
	defer instances.Unlock()
	if len(instances.all) < runtime.GOMAXPROCS(0) {
		in := newInstance()
		// Readers may still have the old slice.
		instances.all = append(instances.all[:len(instances.all):len(instances.all)], in)
		return in
	}
	return instances.all[int(instances.next.Add(1))%len(instances.all)]
}

func (in *instance) lock() {
	in.mutex.Lock()
	in.sweep()
}

func (in *instance) unlock() { in.mutex.Unlock() }

// throw is a cleanup: p is freed the next time the instance is used.
func (in *instance) throw(t trash) {
	in.garbage.Lock()
	in.garbage.list = append(in.garbage.list, t)
	in.garbage.Unlock()
	inModule.freed()
}

func (in *instance) sweep() {
	in.garbage.Lock()
	list := in.garbage.list
	in.garbage.list = nil
	in.garbage.Unlock()
	for _, t := range list {
		in.call(t.free, uint64(t.p))
	}
}

func (in *instance) function(name string) api.Function {
	f := in.functions[name]
	if f == nil {
		if f = in.module.ExportedFunction(name); f == nil {
			panic(failure(ErrInternal, "the library has no %s", name))
		}
		in.functions[name] = f
	}
	return f
}

func (in *instance) call(name string, arguments ...uint64) uint64 {
	copy(in.stack[:], arguments)
	return in.run(in.function(name))
}

// run calls a function with the arguments in the stack.
func (in *instance) run(f api.Function) uint64 {
	if err := f.CallWithStack(context.Background(), in.stack[:]); err != nil {
		panic(failure(ErrInternal, "the library ended: %v", err))
	}
	return in.stack[0]
}

// fails calls a function that returns an error, and fetches the message.
func (in *instance) fails(name string, arguments ...uint64) error {
	e := uint32(in.call(name, arguments...))
	if e == 0 {
		return nil
	}
	return &Error{Kind(e), in.text(uint32(in.call("hm_error_message")))}
}

// never makes calls that cannot fail the way this package makes them.
func (in *instance) never(name string, arguments ...uint64) {
	if err := in.fails(name, arguments...); err != nil {
		panic(err)
	}
}

// alloc panics with an Error if there is no memory; for lengths from outside, outOfMemory turns that into a returned
// error.
func (in *instance) alloc(n int) uint32 {
	p := uint32(0)
	if n <= 1<<30 {
		p = uint32(in.call("hm_wasm_alloc", uint64(n)))
	}
	if p == 0 {
		panic(failure(ErrNoMemory, "no memory for %d bytes in the library for WebAssembly", n))
	}
	return p
}

// outOfMemory is deferred.
func outOfMemory(err *error) {
	p := recover()
	if e, is := p.(*Error); is && e.Kind == ErrNoMemory {
		*err = e
	} else if p != nil {
		panic(p)
	}
}

func (in *instance) free(p uint32, n int) { in.call("hm_wasm_free", uint64(p), uint64(n)) }

func (in *instance) write(p uint32, b []byte) {
	if !in.memory.Write(p, b) {
		panic(failure(ErrInternal, "the library has no %d bytes at %d", len(b), p))
	}
}

// view returns memory of the library; it is valid until the next call.
func (in *instance) view(p uint32, n int) []byte {
	b, ok := in.memory.Read(p, uint32(n))
	if !ok {
		panic(failure(ErrInternal, "the library has no %d bytes at %d", n, p))
	}
	return b
}

func (in *instance) word(p uint32) uint32 { return binary.LittleEndian.Uint32(in.view(p, 4)) }

// text reads a text that ends with a zero byte.
func (in *instance) text(p uint32) string {
	rest, _ := in.memory.Read(p, in.memory.Size()-p)
	s, _, _ := strings.Cut(unsafe.String(unsafe.SliceData(rest), len(rest)), "\x00")
	return strings.Clone(s)
}

// put copies bytes into the library's memory; done frees them. Short ones go where nothing has to be allocated.
func (in *instance) put(b []byte) (p uint32, done func()) {
	if len(b) <= stageSize {
		in.write(in.stage, b)
		return in.stage, func() {}
	}
	p = in.alloc(len(b))
	in.write(p, b)
	return p, func() { in.free(p, len(b)) }
}

// room allocates n bytes for the library to write to; done frees them.
func (in *instance) room(n int) (p uint32, done func()) {
	if n <= smallSize-smallBytes {
		return in.small + smallBytes, func() {}
	}
	p = in.alloc(n)
	return p, func() { in.free(p, n) }
}

// putText copies a text into the library's memory, followed by a zero byte.
func (in *instance) putText(s string) (p uint32, done func()) {
	return in.put(append([]byte(s), 0))
}

// The layout of `small`.
const (
	smallAlgorithm = 0    // 32 bytes
	smallOther     = 32   // 32 bytes
	smallOut       = 64   // a pointer or length
	smallInputs    = 128  // 48 bytes
	smallBytes     = 1024 // the rest
)

func (in *instance) putAlgorithm(a *opaque) uint64 {
	b := in.view(in.small+smallAlgorithm, 32)
	for i, n := range a {
		binary.LittleEndian.PutUint64(b[8*i:], n)
	}
	return uint64(in.small + smallAlgorithm)
}

func (in *instance) getAlgorithm() *opaque {
	b, c := in.view(in.small+smallOther, 32), new(opaque)
	for i := range c {
		c[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return c
}

// out is where the library puts a pointer.
func (in *instance) out() uint64 { return uint64(in.small + smallOut) }

func libVersion() string {
	in := pick()
	defer in.unlock()
	return in.text(uint32(in.call("hm_version")))
}

func libParse(name string) (*opaque, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return nil, failure(ErrUnknownAlgorithm, "unknown algorithm %q", name)
	}
	in := pick()
	defer in.unlock()
	p, done := in.putText(name)
	defer done()
	if err := in.fails("hm_algorithm_parse", uint64(p), uint64(in.small+smallOther)); err != nil {
		return nil, err
	}
	return in.getAlgorithm(), nil
}

func libAt(index int) (*opaque, bool) {
	in := pick()
	defer in.unlock()
	if in.fails("hm_algorithm_at", uint64(index), uint64(in.small+smallOther)) != nil {
		return nil, false
	}
	return in.getAlgorithm(), true
}

func libWithSize(a *opaque, size int) (*opaque, error) {
	// Numbers that do not fit into 32 bits are as impossible as the largest that does.
	return libWith(a, "hm_algorithm_with_digest_len", min(uint64(size), 1<<31))
}

func libWithSeed(a *opaque, seed uint64) (*opaque, error) {
	return libWith(a, "hm_algorithm_with_seed", seed)
}

func libWith(a *opaque, name string, n uint64) (*opaque, error) {
	in := pick()
	defer in.unlock()
	if err := in.fails(name, in.putAlgorithm(a), n, uint64(in.small+smallOther)); err != nil {
		return nil, err
	}
	return in.getAlgorithm(), nil
}

var factNames = [factCount]string{
	"digest_len", "min_digest_len", "max_digest_len", "block_len", "max_key_len", "max_salt_len", "max_personal_len", "security", "year",
	"collision_bits", "seed_bits", "takes_context", "tells_files_apart", "is_extendable", "is_divisible", "takes_bits",
}

func libFacts(a *opaque) facts {
	in := pick()
	defer in.unlock()
	p := in.putAlgorithm(a)
	var n [factCount]uint64
	for i, name := range factNames {
		n[i] = uint64(uint32(in.call("hm_algorithm_"+name, p)))
		// The largest possible size means that there is no limit.
		if uint32(n[i]) == ^uint32(0) {
			n[i] = ^uint64(0)
		}
	}
	return factsOf(&n)
}

var textNames = [...]string{"name", "alias", "family", "specification", "security_reason"}

func libText(a *opaque, which text, index int) string {
	in := pick()
	defer in.unlock()
	p := in.putAlgorithm(a)
	ask := func(out uint32, room int) int {
		if which == textAlias {
			return int(uint32(in.call("hm_algorithm_alias", p, uint64(index), uint64(out), uint64(room))))
		}
		return int(uint32(in.call("hm_algorithm_"+textNames[which], p, uint64(out), uint64(room))))
	}
	n := ask(in.stage, stageSize)
	return string(in.view(in.stage, min(n, stageSize-1)))
}

func libKernels(a *opaque) []Kernel {
	in := pick()
	defer in.unlock()
	p := in.putAlgorithm(a)
	all := make([]Kernel, uint32(in.call("hm_kernel_count", p)))
	for i := range all {
		in.never("hm_kernel_at", p, uint64(i), uint64(in.stage))
		// The layout of hm_kernel with 4-byte pointers.
		b := in.view(in.stage, 76)
		name, _, _ := strings.Cut(string(b[:64]), "\x00")
		lanes, from := binary.LittleEndian.Uint32(b[64:]), binary.LittleEndian.Uint32(b[68:])
		all[i] = Kernel{name, int(lanes), int(from), b[72] != 0, b[73] != 0}
	}
	return all
}

func libDigest(a *opaque, data, out []byte) {
	in := pick()
	defer in.unlock()
	if len(data) <= stageSize && len(out) <= smallSize-smallBytes {
		in.write(in.stage, data)
		in.stack = [12]uint64{in.putAlgorithm(a), uint64(in.stage), uint64(len(data)), uint64(in.small + smallBytes), uint64(len(out))}
		if e := in.run(in.digest); uint32(e) != 0 {
			panic(failure(ErrInternal, "the library says %d where it cannot fail", e))
		}
		copy(out, in.view(in.small+smallBytes, len(out)))
		return
	}
	s := state{in: in}
	s.new(a, 0)
	s.feed(data)
	s.take(out)
	in.call("hm_hasher_free", uint64(s.p))
}

// A batch goes through an instance's memory in one go; a longer message goes in pieces.
const batchBytes = 1 << 20

func libMany(a *opaque, messages [][]byte, out []byte) {
	for _, m := range messages {
		if overlap(m, out) {
			apart := make([]byte, len(out))
			libMany(a, messages, apart)
			copy(out, apart)
			return
		}
	}
	size := len(out) / len(messages)
	var wait sync.WaitGroup
	var panicked atomic.Pointer[any]
	slots := make(chan struct{}, max(runtime.GOMAXPROCS(0), 1))
	for first := 0; first < len(messages); {
		last, bytes := first, 0
		for last < len(messages) && (last == first || bytes+len(messages[last])+(last-first)*size <= batchBytes) && last-first < 4096 {
			bytes += len(messages[last])
			last++
		}
		batch, room := messages[first:last], out[first*size:last*size]
		first = last
		slots <- struct{}{}
		wait.Go(func() {
			defer func() {
				// The panic continues where somebody can recover it.
				if p := recover(); p != nil {
					panicked.Store(&p)
				}
				<-slots
			}()
			if bytes+size > batchBytes {
				libDigest(a, batch[0], room)
				return
			}
			in := pick()
			defer in.unlock()
			in.batch(a, batch, bytes, room)
		})
	}
	wait.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}

func (in *instance) batch(a *opaque, messages [][]byte, bytes int, out []byte) {
	table := 4 * (len(messages) + 1)
	room := table + bytes + len(out)
	p := in.alloc(room)
	defer in.free(p, room)
	to, at := in.view(p, room), uint32(0)
	for i, m := range messages {
		binary.LittleEndian.PutUint32(to[4*i:], at)
		copy(to[table+int(at):], m)
		at += uint32(len(m))
	}
	binary.LittleEndian.PutUint32(to[4*len(messages):], at)
	data := p + uint32(table)
	digests := data + uint32(bytes)
	in.never("hm_digest_column", in.putAlgorithm(a), uint64(p), offsets32, uint64(len(messages)), uint64(data), uint64(bytes), 0, uint64(digests), uint64(len(out)))
	copy(out, in.view(digests, len(out)))
}

func libColumn(a *opaque, offsets []byte, kind uint32, count int, data, out []byte) error {
	messages := make([][]byte, count)
	width := 4 << (kind & 1)
	number := func(i int) int64 {
		p := unsafe.Pointer(&offsets[i*width])
		switch kind {
		case 0:
			return int64(*(*int32)(p))
		case 2:
			return int64(*(*uint32)(p))
		default:
			// Negative offsets are refused, including those in the upper half of uint64.
			return *(*int64)(p)
		}
	}
	before := number(0) // AppendColumn has looked at it
	for i := range messages {
		next := number(i + 1)
		if next < before || next > int64(len(data)) {
			if kind == 3 {
				return badOffset(i+1, uint64(next), len(data))
			}
			return badOffset(i+1, next, len(data))
		}
		messages[i], before = data[before:next], next
	}
	if count > 0 {
		libMany(a, messages, out)
	}
	return nil
}

func libCombine(a *opaque, x, y []byte, lenY uint64, out []byte) error {
	in := pick()
	defer in.unlock()
	in.write(in.stage, x)
	in.write(in.stage+uint32(len(x)), y)
	to := in.stage + uint32(len(x)+len(y))
	err := in.fails("hm_combine", in.putAlgorithm(a), uint64(in.stage), uint64(in.stage)+uint64(len(x)), lenY, uint64(to), uint64(len(out)))
	if err == nil {
		copy(out, in.view(to, len(out)))
	}
	return err
}

func libEqual(x, y []byte) bool {
	if len(x) != len(y) {
		return false
	}
	var different byte
	for i := range x {
		different |= x[i] ^ y[i]
	}
	return different == 0
}

// inModule counts objects in the instances' memory.
var inModule census

// A state is a hasher in an instance's memory.
type state struct {
	in      *instance
	p       uint32
	cleanup runtime.Cleanup
}

func (s *state) made(in *instance) {
	s.in, s.p = in, in.word(uint32(in.out()))
}

func (s *state) use() *instance {
	if s.in == nil {
		panic(failure(ErrBadArgument, "there is no hash: New makes one"))
	}
	s.in.lock()
	return s.in
}

// new makes a hasher in the locked instance.
func (s *state) new(a *opaque, inputs uint64) {
	s.in.never("hm_hasher_new", s.in.putAlgorithm(a), inputs, s.in.out())
	s.made(s.in)
}

func (s *state) makeWith(a *opaque, x *inputs) (err error) {
	defer outOfMemory(&err)
	if strings.IndexByte(x.kernel, 0) >= 0 {
		return failure(ErrUnknownKernel, "unknown kernel %q", x.kernel)
	}
	in := pick()
	defer in.unlock()
	// hm_inputs with 4-byte pointers: its size, five times a pointer and a length, and the kernel.
	var fields [12]uint32
	fields[0] = 48
	given := []struct {
		bytes []byte
		empty bool // it is there without a byte
	}{{x.key, x.hasKey}, {x.salt, false}, {x.personal, false}, {stringBytes(x.context), x.hasContext}, {x.resume, x.hasResume}}
	for i, g := range given {
		if len(g.bytes) == 0 && !g.empty {
			continue
		}
		p := in.alloc(len(g.bytes) + 1)
		// Keys must not be left in memory.
		defer func() {
			clear(in.view(p, len(g.bytes)))
			in.free(p, len(g.bytes)+1)
		}()
		in.write(p, g.bytes)
		fields[1+2*i], fields[2+2*i] = p, uint32(len(g.bytes))
	}
	if x.kernel != "" {
		p, done := in.putText(x.kernel)
		defer done()
		fields[11] = p
	}
	at := in.small + smallInputs
	for i, n := range fields {
		binary.LittleEndian.PutUint32(in.view(at+uint32(4*i), 4), n)
	}
	if err := in.fails("hm_hasher_new", in.putAlgorithm(a), uint64(at), in.out()); err != nil {
		return err
	}
	s.made(in)
	return nil
}

// cleanUp frees the hasher when its owner is gone.
func (s *state) cleanUp(owner *Hash) {
	s.cleanup = runtime.AddCleanup(owner, s.in.throw, trash{"hm_hasher_free", s.p})
	inModule.made()
}

// leave gives up a state whose owner gets another one.
func (s *state) leave() {
	if s.in != nil {
		s.cleanup.Stop()
		s.drop()
		inModule.freed()
	}
}

// drop frees a hasher that has no owner.
func (s *state) drop() {
	in := s.use()
	defer in.unlock()
	in.call("hm_hasher_free", uint64(s.p))
}

// begin makes a hasher, or resets the existing one, and gives it the first bytes of a message, whose digest it writes
// if there is room. It reports whether it made one.
func (s *state) begin(c *opaque, a, b, digest []byte) (made bool) {
	if s.in == nil {
		in := pick()
		defer in.unlock()
		s.in, made = in, true
		s.new(c, 0)
	} else {
		in := s.use()
		defer in.unlock()
		in.never("hm_hasher_reset", uint64(s.p))
	}
	s.feed(a)
	s.feed(b)
	if len(digest) > 0 {
		s.take(digest)
	}
	return made
}

// add gives it more of the message.
func (s *state) add(a, b []byte) {
	in := s.use()
	defer in.unlock()
	s.feed(a)
	s.feed(b)
}

// final adds the last bytes and writes the digest; the message may go on.
func (s *state) final(last, out []byte) {
	in := s.use()
	defer in.unlock()
	s.feed(last)
	s.take(out)
}

// whole is the digest of a message that has not begun.
func (s *state) whole(m, out []byte) {
	in := s.use()
	defer in.unlock()
	in.never("hm_hasher_reset", uint64(s.p))
	s.feed(m)
	s.take(out)
}

// feed adds to the message, in the instance that is locked.
func (s *state) feed(b []byte) {
	for len(b) > 0 {
		n := min(len(b), stageSize)
		s.in.write(s.in.stage, b[:n])
		s.in.stack = [12]uint64{uint64(s.p), uint64(s.in.stage), uint64(n)}
		if e := s.in.run(s.in.update); uint32(e) != 0 {
			panic(failure(ErrInternal, "the library says %d where it cannot fail", e))
		}
		b = b[n:]
	}
}

func (s *state) updateBits(b []byte, bits uint64) (err error) {
	defer outOfMemory(&err)
	in := s.use()
	defer in.unlock()
	p, done := in.put(b)
	defer done()
	return in.fails("hm_hasher_update_bits", uint64(s.p), uint64(p), bits)
}

// take writes the digest, in the locked instance.
func (s *state) take(out []byte) {
	in, p := s.in, s.in.small+smallBytes
	if len(out) > smallSize-smallBytes {
		p = in.alloc(len(out))
		defer in.free(p, len(out))
	}
	in.stack = [12]uint64{uint64(s.p), uint64(p), uint64(len(out))}
	if e := in.run(in.final); uint32(e) != 0 {
		panic(failure(ErrInternal, "the library says %d where it cannot fail", e))
	}
	copy(out, in.view(p, len(out)))
}

func (s *state) cloneTo(c *state) {
	in := s.use()
	defer in.unlock()
	in.never("hm_hasher_clone", uint64(s.p), in.out())
	c.made(in)
}

func (s *state) export(b []byte) ([]byte, error) {
	in := s.use()
	defer in.unlock()
	if err := in.fails("hm_hasher_export", uint64(s.p), uint64(in.stage), stageSize, in.out()); err != nil {
		return nil, err
	}
	return append(b, in.view(in.stage, int(in.word(uint32(in.out()))))...), nil
}

func (s *state) load(b []byte) (*opaque, error) {
	if len(b) > stageSize {
		return nil, failure(ErrBadState, "state: %d bytes are more than any has", len(b))
	}
	in := pick()
	defer in.unlock()
	in.write(in.stage, b)
	if err := in.fails("hm_hasher_import", uint64(in.stage), uint64(len(b)), 0, in.out()); err != nil {
		return nil, err
	}
	s.made(in)
	in.never("hm_hasher_algorithm", uint64(s.p), uint64(in.small+smallOther))
	return in.getAlgorithm(), nil
}

// An output produces the output for a message.
type output struct {
	in *instance
	p  uint32
}

func (s *state) output() *output {
	in := s.use()
	defer in.unlock()
	in.never("hm_xof_new", uint64(s.p), in.out())
	return &output{in, in.word(uint32(in.out()))}
}

func (o *output) cleanUp() {
	runtime.AddCleanup(o, o.in.throw, trash{"hm_xof_free", o.p})
	inModule.made()
}

func (o *output) read(b []byte) {
	o.in.lock()
	defer o.in.unlock()
	for len(b) > 0 {
		n := min(len(b), stageSize)
		o.in.never("hm_xof_read", uint64(o.p), uint64(o.in.stage), uint64(n))
		copy(b, o.in.view(o.in.stage, n))
		b = b[n:]
	}
}

type mac struct {
	in *instance
	p  uint32
}

func (m *mac) make(a *opaque, key []byte) (err error) {
	defer outOfMemory(&err)
	in := pick()
	defer in.unlock()
	p := in.alloc(len(key) + 1)
	defer func() {
		clear(in.view(p, len(key)))
		in.free(p, len(key)+1)
	}()
	in.write(p, key)
	if err := in.fails("hm_hmac_new", in.putAlgorithm(a), uint64(p), uint64(len(key)), in.out()); err != nil {
		return err
	}
	m.in, m.p = in, in.word(uint32(in.out()))
	return nil
}

func (m *mac) cleanUp(owner *HMAC) {
	runtime.AddCleanup(owner, m.in.throw, trash{"hm_hmac_free", m.p})
	inModule.made()
}

func (m *mac) use() *instance {
	if m.in == nil {
		panic(failure(ErrBadArgument, "there is no HMAC: NewHMAC makes one"))
	}
	m.in.lock()
	return m.in
}

func (m *mac) add(a, b []byte) {
	in := m.use()
	defer in.unlock()
	m.feed(a)
	m.feed(b)
}

// feed adds to the message, in the instance that is locked.
func (m *mac) feed(b []byte) {
	for in := m.in; len(b) > 0; {
		n := min(len(b), stageSize)
		in.write(in.stage, b[:n])
		in.never("hm_hmac_update", uint64(m.p), uint64(in.stage), uint64(n))
		b = b[n:]
	}
}

// final adds the last bytes and writes the code; the message may go on.
func (m *mac) final(last, out []byte) {
	in := m.use()
	defer in.unlock()
	m.feed(last)
	p, done := in.room(len(out))
	defer done()
	in.never("hm_hmac_final", uint64(m.p), uint64(p), uint64(len(out)))
	copy(out, in.view(p, len(out)))
}

func (m *mac) verify(code []byte) bool {
	in := m.use()
	defer in.unlock()
	if len(code) > stageSize {
		return false
	}
	in.write(in.stage, code)
	return in.call("hm_hmac_verify", uint64(m.p), uint64(in.stage), uint64(len(code)))&1 != 0
}

func (m *mac) reset() {
	in := m.use()
	defer in.unlock()
	in.never("hm_hmac_reset", uint64(m.p))
}

func (m *mac) cloneTo(c *mac) {
	in := m.use()
	defer in.unlock()
	in.never("hm_hmac_clone", uint64(m.p), in.out())
	c.in, c.p = in, in.word(uint32(in.out()))
}

// All parts are in one instance, so that they can be combined.
var partsInstance = sync.OnceValue(newInstance)

type part struct{ p uint32 }

func (x *part) make(a *opaque, place uint64, data []byte) (err error) {
	defer outOfMemory(&err)
	in := partsInstance()
	in.lock()
	defer in.unlock()
	p, done := in.put(data)
	defer done()
	if err := in.fails("hm_part_new", in.putAlgorithm(a), place, uint64(p), uint64(len(data)), in.out()); err != nil {
		return err
	}
	x.p = in.word(uint32(in.out()))
	return nil
}

func (x *part) cleanUp(owner *Part) {
	runtime.AddCleanup(owner, partsInstance().throw, trash{"hm_part_free", x.p})
	inModule.made()
}

type parts struct{ p uint32 }

func (x *parts) make(a *opaque, size int) error {
	if uint64(size) > 1<<31 {
		return failure(ErrBadParameter, "parts of %d bytes do not fit the library for WebAssembly", size)
	}
	in := partsInstance()
	in.lock()
	defer in.unlock()
	if err := in.fails("hm_parts_new", in.putAlgorithm(a), uint64(size), in.out()); err != nil {
		return err
	}
	x.p = in.word(uint32(in.out()))
	return nil
}

func (x *parts) cleanUp(owner *Parts) {
	runtime.AddCleanup(owner, partsInstance().throw, trash{"hm_parts_free", x.p})
	inModule.made()
}

func (x *parts) push(next *part) error {
	in := partsInstance()
	in.lock()
	defer in.unlock()
	return in.fails("hm_parts_push", uint64(x.p), uint64(next.p))
}

func (x *parts) final(last, out []byte) (err error) {
	defer outOfMemory(&err)
	in := partsInstance()
	in.lock()
	defer in.unlock()
	p, done := in.put(last)
	defer done()
	to, freed := in.room(len(out))
	defer freed()
	err = in.fails("hm_parts_final", uint64(x.p), uint64(p), uint64(len(last)), uint64(to), uint64(len(out)))
	if err == nil {
		copy(out, in.view(to, len(out)))
	}
	return err
}
