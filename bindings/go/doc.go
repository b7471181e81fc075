// Package hashmill has every message digest and checksum that people meet, more than 200, each on the fastest code that the CPU
// has, and hashes many messages and files at once, in the lanes of vector registers.
//
//	h := hashmill.NewSHA256()                                    // a hash.Hash, as sha256.New()
//	h, err := hashmill.New("tiger192-3")                         // by name; options: WithKey, WithSeed, WithSize …
//	sum := hashmill.Sum(hashmill.BLAKE3, data)                   // one message
//	sums := hashmill.SumMany(hashmill.MD5, messages)             // many, side by side
//	sum, err := hashmill.SumFile(hashmill.SHA256, "a.iso")       // a file
//	for file, err := range hashmill.SumFiles(ctx, paths, hashmill.SHA256) { … } // many files
//
// # Two ways to the library
//
// With cgo the package calls the C library, which pkg-config finds (hashmill.pc; `make install-lib` in the project installs it).
// With the build tag hashmill_static it becomes part of the program. Without cgo (CGO_ENABLED=0, or the build tag hashmill_wasm)
// the same package has a build of the library for WebAssembly in it, which wazero compiles when it is first needed: nothing to
// install, for every system that Go compiles for, everything is there, and it is slower. docs/go.md of the project has what each costs.
//
// # Rules
//
// An Algorithm may be used by any number of goroutines, everything that is written to by one at a time. No pointer to memory of Go's
// is kept by the library. What has to be freed is freed by the collector. What this package finds wrong is an [Error], whose
// Kind has the same number in every language.
package hashmill
