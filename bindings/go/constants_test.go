package hashmill

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write constants.go of what the library says")

// identifier returns the name of a constant in every language: in capitals, with _ for all other characters.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

// sentence returns the documentation's sentence about an algorithm.
func sentence(c *opaque) string {
	f := libFacts(c)
	security := Security(f.security).String()
	if reason := libText(c, textReason, 0); reason != "" {
		security += ": " + reason
	}
	return fmt.Sprintf("%d bits (%s, %d). %s%s. Source: %s.", f.size*8, libText(c, textFamily, 0), f.year,
		strings.ToUpper(security[:1]), strings.TrimSuffix(security[1:], "."), strings.TrimSuffix(libText(c, textSpecification, 0), "."))
}

func constants() []byte {
	var b bytes.Buffer
	line := func(format string, arguments ...any) { fmt.Fprintf(&b, format+"\n", arguments...) }
	line("// Written by `go test -run TestConstants -update` of what the library says; do not edit.\n\npackage hashmill\n\nimport \"hash\"\n")
	line("var entries = [...]entry{")
	var all []*opaque
	for i := 0; ; i++ {
		c, ok := libAt(i)
		if !ok {
			break
		}
		all = append(all, c)
		line("{name: %q},", libText(c, textName, 0))
	}
	line("}\n\n// Every algorithm, with its usual parameters.\nvar (")
	for i, c := range all {
		name := libText(c, textName, 0)
		line("// %s is %s, %s\n%s = Algorithm{&entries[%d]}", identifier(name), name, sentence(c), identifier(name), i)
	}
	line(")\n")
	for _, c := range all {
		name, f := libText(c, textName, 0), libFacts(c)
		id := identifier(name)
		switch f.size {
		case 4:
			line("// New%s makes a hash of [%s]: its Sum32 is the digest as a number, the first byte the highest.", id, id)
			line("func New%s() hash.Hash32 { return %s.plain32() }\n", id, id)
		case 8:
			line("// New%s makes a hash of [%s]: its Sum64 is the digest as a number, the first byte the highest.", id, id)
			line("func New%s() hash.Hash64 { return %s.plain64() }\n", id, id)
		default:
			line("// New%s makes a hash of [%s], whose digest has %d bytes.", id, id, f.size)
			line("func New%s() hash.Hash { return %s.plain() }\n", id, id)
		}
		if f.extend {
			line("// New%sXOF makes an XOF of [%s]: output of any length.", id, id)
			line("func New%sXOF() *XOF { return %s.plainXOF() }\n", id, id)
		}
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		panic(err)
	}
	return text
}

func TestConstants(t *testing.T) {
	want := constants()
	if *update {
		if err := os.WriteFile("constants.go", want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("constants.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("constants.go is not what the library says: go test -run TestConstants -update")
	}
}
