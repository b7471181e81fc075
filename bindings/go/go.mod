module github.com/hashmill/hashmill/bindings/go

go 1.25.0

require (
	github.com/tetratelabs/wazero v1.12.0
	golang.org/x/crypto v0.53.0
)

require golang.org/x/sys v0.46.0 // indirect
