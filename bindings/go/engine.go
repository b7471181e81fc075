package hashmill

// Engine says how this build reaches the library: "cgo", or "wasm" for WebAssembly.
func Engine() string { return engine }

// CacheCompiled keeps the machine code that wazero makes of the library in this folder, for the next start of a program with the
// build for WebAssembly. It is for before the first use of anything else; with cgo it does nothing. The folder is made if there is
// none; one that cannot be used is as good as none. It should be one that nobody else writes to.
func CacheCompiled(folder string) { cacheCompiled(folder) }
