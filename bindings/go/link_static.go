//go:build cgo && !hashmill_wasm && hashmill_static

package hashmill

// #cgo pkg-config: hashmill-static
import "C"
