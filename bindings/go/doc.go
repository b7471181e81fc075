// Package hashmill has every message digest and checksum in common use, more than 200, on the fastest code that the CPU
// can run, and hashes many messages and files at once, in the lanes of vector registers.
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
// With cgo the package calls the C library, which pkg-config finds (hashmill.pc; `make install-lib` in the project
// installs it). With the build tag hashmill_static it is linked statically. Without cgo (CGO_ENABLED=0, or the build
// tag hashmill_wasm) the package contains a WebAssembly build of the library, which wazero compiles on first use: there
// is nothing to install, it works on every system that Go compiles for and is complete, but it is slower. The project's
// docs/go.md says what each costs.
//
// # Rules
//
// An Algorithm may be used by any number of goroutines; everything that is written to, by one at a time. The library
// keeps no pointers to Go memory. What has to be freed is freed by the garbage collector. Errors found by this package
// are an [Error], whose Kind has the same number in every language.
package hashmill
