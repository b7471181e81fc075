//go:build !cgo || hashmill_wasm

package hashmill

func foreign() int64 { return inModule.alive.Load() }
