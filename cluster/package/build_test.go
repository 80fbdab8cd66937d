package main

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSameSourceGivesTheSameBytes builds twice, from folders with other names, with files of other modes and in
// another environment, and compares all files.
func TestSameSourceGivesTheSameBytes(t *testing.T) {
	for name, value := range map[string]string{
		"CGO_ENABLED": "1", "GOAMD64": "v3", "GOARM64": "v9.0",
		"GOFLAGS": "-gcflags=-N", "GOOS": "darwin",
	} {
		t.Setenv(name, value)
	}
	again, err := build(t.Context(), newFixture(t, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	first, second := written(t, builtPackage(t)), written(t, again)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("-first build, +second:\n%s", diff)
	}
	for _, want := range []string{
		"provider-lambda-v1.2.3-test-linux-amd64.xpkg", "provider-lambda-v1.2.3-test-linux-amd64.spdx.json",
		"provider-lambda-v1.2.3-test-linux-arm64.xpkg", "provider-lambda-v1.2.3-test-linux-arm64.spdx.json",
		"provider-lambda-v1.2.3-test.oci/index.json", "provider-lambda-v1.2.3-test.oci/oci-layout",
		"provider-lambda-v1.2.3-test.provenance.json",
	} {
		if first[want] == "" {
			t.Errorf("no %s was written", want)
		}
	}
}

// TestAnotherSourceGivesAnotherDigest checks that the comparison above detects differences.
func TestAnotherSourceGivesAnotherDigest(t *testing.T) {
	r := newFixture(t, 0o644)
	r.Version = "v1.2.4-test"
	other, err := build(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	a, errA := builtPackage(t).index.Digest()
	b, errB := other.index.Digest()
	if errA != nil || errB != nil || a == b {
		t.Errorf("got the digests %s and %s (%v, %v), want two", a, b, errA, errB)
	}
}

// written returns the digests of a package's files, by their paths.
func written(t *testing.T, b *built) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if err := b.write(dir, io.Discard); err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		path, err = filepath.Rel(dir, path)
		sum := sha256.Sum256(content)
		sums[filepath.ToSlash(path)] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

func TestBuildRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(r *release) error
		want   string
	}{
		"Version": {
			reason: "A version that cannot be a tag is found before anything is compiled.",
			change: func(r *release) error { r.Version = "feature/x"; return nil },
			want:   `cannot have the version "feature/x"`,
		},
		"UnknownField": {
			reason: "A misspelled field of crossplane.yaml would be ignored by Crossplane.",
			change: replace(metaFile, "capabilities:", "capability:"),
			want:   `unknown field "capability"`,
		},
		"OtherName": {
			reason: "Files and repository are called after the package.",
			change: replace(metaFile, "name: provider-lambda", "name: provider-other"),
			want:   `package called "provider-other"`,
		},
		"NoLicense": {
			reason: "What a package has to say of itself is there.",
			change: replace(metaFile, "meta.crossplane.io/license", "meta.crossplane.io/other"),
			want:   "lacks the annotation meta.crossplane.io/license",
		},
		"NoName": {
			reason: "The metadata must contain the name that people read.",
			change: replace(metaFile, "friendly-name.meta.crossplane.io", "name.example.org"),
			want:   "lacks the annotation friendly-name.meta.crossplane.io",
		},
		"NoIcon": {
			reason: "The icon is part of the metadata.",
			change: func(r *release) error { return os.Remove(filepath.Join(r.Root, iconFile)) },
			want:   "icon.svg",
		},
		"NoObjects": {
			reason: "A package without CRDs is a mistake.",
			change: func(r *release) error { return os.RemoveAll(filepath.Join(r.Root, objectsFolder)) },
			want:   "cannot read the manifests of package/crds",
		},
		"EmptyExamples": {
			reason: "A package without examples is rejected.",
			change: func(r *release) error {
				if err := os.RemoveAll(filepath.Join(r.Root, examplesFolder)); err != nil {
					return err
				}
				return os.Mkdir(filepath.Join(r.Root, examplesFolder), 0o755)
			},
			want: "there is no YAML file in it",
		},
		"NotForProviders": {
			reason: "Crossplane's own rules for packages of providers are kept.",
			change: replace(objectsFolder+"/lambda.aws.m.crossplane.io_functions.yaml",
				"kind: CustomResourceDefinition", "kind: ConfigMap"),
			want: "cannot put the package together",
		},
		"Constraint": {
			reason: "The versions of Crossplane are understood by Crossplane.",
			change: replace(metaFile, `">=v2.0.0"`, `"two"`),
			want:   "package version constraints are poorly formatted",
		},
		"DoesNotCompile": {
			reason: "The compiler's errors are shown.",
			change: replace("cmd/provider/main.go", "fmt.Print(version)", "fmt.Print(missing)"),
			want:   "undefined: missing",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, 0o644)
			if err := tc.change(&r); err != nil {
				t.Fatal(err)
			}
			_, err := build(t.Context(), r)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nbuild(): got error %v, want one with %q", tc.reason, err, tc.want)
			}
		})
	}
}

// replace returns a function that replaces text in a file of the fixture.
func replace(file, before, after string) func(r *release) error {
	return func(r *release) error {
		path := filepath.Join(r.Root, file)
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Contains(content, []byte(before)) {
			return fmt.Errorf("%s does not hold %q", file, before)
		}
		return os.WriteFile(path, bytes.ReplaceAll(content, []byte(before), []byte(after)), 0o600)
	}
}

func TestCheckStatic(t *testing.T) {
	cases := map[string]struct {
		reason  string
		program []byte
		want    string
	}{
		"Static": {reason: "A program that is only loaded is fine.", program: program64(elf.PT_LOAD)},
		"Dynamic": {
			reason: "One that asks for a linker cannot start in the image.", program: program64(elf.PT_INTERP),
			want: "linked dynamically",
		},
		"NotELF": {
			reason: "A file that is not an ELF program is rejected.", program: []byte("#!/bin/sh"),
			want: "cannot read the provider's program",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := checkStatic(tc.program)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\ncheckStatic(): got error %v, want one with %q", tc.reason, err, tc.want)
			}
		})
	}
}

// program64 returns an ELF header with one segment of a type.
func program64(segment elf.ProgType) []byte {
	h := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{
			0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB),
			byte(elf.EV_CURRENT),
		},
		Type:      uint16(elf.ET_EXEC),
		Machine:   uint16(elf.EM_X86_64),
		Version:   uint32(elf.EV_CURRENT),
		Phoff:     64,
		Ehsize:    64,
		Phentsize: 56,
		Phnum:     1,
		Shentsize: 64,
	}
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, h)
	_ = binary.Write(&b, binary.LittleEndian, elf.Prog64{Type: uint32(segment)})
	return b.Bytes()
}
