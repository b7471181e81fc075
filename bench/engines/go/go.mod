module github.com/hashmill/hashmill/bench/engines/go

go 1.25.0

require (
	github.com/hashmill/hashmill/bindings/go v0.0.0
	github.com/jzelinskie/whirlpool v0.0.0-20201016144138-0675e54bb004
	golang.org/x/crypto v0.53.0
)

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.46.0 // indirect
)

replace github.com/hashmill/hashmill/bindings/go => ../../../bindings/go
