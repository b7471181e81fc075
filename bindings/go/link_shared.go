//go:build cgo && !hashmill_wasm && !hashmill_static

package hashmill

// One file per way of linking, rather than a tag on the line: Go's build cache tells the builds apart by the names of
// the files.

// #cgo pkg-config: hashmill
import "C"
