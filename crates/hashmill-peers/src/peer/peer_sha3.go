//go:build go1.24

package main

import "crypto/sha3"

func init() {
	algorithms = append(algorithms,
		algorithm{"sha3.Sum224", func(ms [][]byte) {
			for _, m := range ms {
				out28 = sha3.Sum224(m)
			}
		}, &out28},
		algorithm{"sha3.Sum256", func(ms [][]byte) {
			for _, m := range ms {
				out32 = sha3.Sum256(m)
			}
		}, &out32},
		algorithm{"sha3.Sum384", func(ms [][]byte) {
			for _, m := range ms {
				out48 = sha3.Sum384(m)
			}
		}, &out48},
		algorithm{"sha3.Sum512", func(ms [][]byte) {
			for _, m := range ms {
				out64 = sha3.Sum512(m)
			}
		}, &out64},
		algorithm{"sha3.SumSHAKE128", func(ms [][]byte) {
			for _, m := range ms {
				copy(out32[:], sha3.SumSHAKE128(m, len(out32)))
			}
		}, &out32},
		algorithm{"sha3.SumSHAKE256", func(ms [][]byte) {
			for _, m := range ms {
				copy(out64[:], sha3.SumSHAKE256(m, len(out64)))
			}
		}, &out64},
	)
}
