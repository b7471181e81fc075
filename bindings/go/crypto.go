package hashmill

import (
	"crypto"
	"hash"
)

// RegisterCrypto makes [crypto.Hash.New] use this package, in the whole program, for these hashes or, if none are
// given, for all that it has. Nothing is registered unless this is called. [ErrUnknownAlgorithm] for a hash that it
// does not have: MD5SHA1.
//
// [crypto.Hash] keeps the implementation registered last, so import other packages that register them before.
func RegisterCrypto(hashes ...crypto.Hash) error {
	if len(hashes) == 0 {
		for h := range cryptoHashes {
			hashes = append(hashes, h)
		}
	}
	for _, h := range hashes {
		if cryptoHashes[h] == nil {
			return failure(ErrUnknownAlgorithm, "crypto.Hash %s is not an algorithm of this package", h)
		}
	}
	for _, h := range hashes {
		crypto.RegisterHash(h, cryptoHashes[h])
	}
	return nil
}

var cryptoHashes = map[crypto.Hash]func() hash.Hash{
	crypto.MD4:         NewMD4,
	crypto.MD5:         NewMD5,
	crypto.SHA1:        NewSHA1,
	crypto.SHA224:      NewSHA224,
	crypto.SHA256:      NewSHA256,
	crypto.SHA384:      NewSHA384,
	crypto.SHA512:      NewSHA512,
	crypto.RIPEMD160:   NewRIPEMD160,
	crypto.SHA3_224:    NewSHA3_224,
	crypto.SHA3_256:    NewSHA3_256,
	crypto.SHA3_384:    NewSHA3_384,
	crypto.SHA3_512:    NewSHA3_512,
	crypto.SHA512_224:  NewSHA512_224,
	crypto.SHA512_256:  NewSHA512_256,
	crypto.BLAKE2s_256: NewBLAKE2S_256,
	crypto.BLAKE2b_256: shorter(BLAKE2B_512, 32),
	crypto.BLAKE2b_384: shorter(BLAKE2B_512, 48),
	crypto.BLAKE2b_512: NewBLAKE2B_512,
}

func shorter(a Algorithm, size int) func() hash.Hash {
	return func() hash.Hash {
		a, err := a.WithSize(size)
		if err != nil {
			panic(err)
		}
		return a.plain()
	}
}
