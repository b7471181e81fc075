package hashmill

// Engine says how this build calls the library: "cgo", or "wasm" for WebAssembly.
func Engine() string { return engine }

// CacheCompiled makes the WebAssembly build keep the machine code that wazero compiles in this folder, for the next
// start of the program. Call it before anything else; with cgo it does nothing. The folder is created if necessary; if
// it cannot be used, nothing is cached. Nobody else should be able to write to it.
func CacheCompiled(folder string) { cacheCompiled(folder) }
