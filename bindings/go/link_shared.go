//go:build cgo && !hashmill_wasm && !hashmill_static

package hashmill

// A file for each way of linking, rather than a tag on the line: by the names of files go's cache knows that they are different builds.

// #cgo pkg-config: hashmill
import "C"
