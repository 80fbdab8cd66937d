package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// recorder replaces cosign: it records how it was called, and copies the predicate.
const recorder = `#!/bin/sh
echo "$*" >> "$RECORD/calls"
for arg; do
	case $arg in --predicate=*) cp "${arg#--predicate=}" "$RECORD/predicate.$(wc -l < "$RECORD/calls" | tr -d ' ')" ;; esac
done
exit "${COSIGN_EXIT:-0}"
`

// withCosign puts a program called cosign on the PATH, and returns the folder of its record.
func withCosign(t *testing.T) (record string) {
	t.Helper()
	bin, record := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "cosign"), []byte(recorder), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("RECORD", record)
	return record
}

// writtenPackage writes the shared package to a folder.
func writtenPackage(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := builtPackage(t).write(dir, io.Discard); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSign(t *testing.T) {
	cases := map[string]struct {
		reason, key, want string
	}{
		"Keyless": {reason: "Keyless signing asks for the identity of the user.", key: "keyless"},
		"Key": {
			reason: "A key is named, and never read.", key: "awskms:///alias/packages",
			want: " --key=awskms:///alias/packages",
		},
	}
	for title, tc := range cases {
		t.Run(title, func(t *testing.T) {
			record, dir := withCosign(t), writtenPackage(t)
			to := newRegistry(t, toAll) + testTag
			var out bytes.Buffer
			if err := (pushCommand{Out: dir, Version: "v1.2.3-test", Sign: tc.key}).push(t.Context(), to,
				&out); err != nil {
				t.Fatal(err)
			}
			calls, err := os.ReadFile(filepath.Join(record, "calls"))
			if err != nil {
				t.Fatal(err)
			}
			// The predicate's file name is constant, but not its folder.
			got := regexp.MustCompile(`--predicate=\S*/`).ReplaceAllString(string(calls), "--predicate=")
			if diff := cmp.Diff(wantCalls(t, to, tc.want), strings.Split(strings.TrimSpace(got), "\n")); diff != "" {
				t.Errorf("\n%s\ncosign was called: -want, +got:\n%s", tc.reason, diff)
			}
			if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); !strings.HasPrefix(lines[len(lines)-1],
				"signed ") {
				t.Errorf("the last thing that is said is %q", lines[len(lines)-1])
			}
			checkPredicates(t, record, dir)
		})
	}
}

// wantCalls returns the expected calls of cosign: what was pushed is signed by its digest, regardless of what its tag
// refers to by then.
func wantCalls(t *testing.T, to, key string) []string {
	t.Helper()
	tag, err := name.NewTag(to)
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(tag)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	m, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	const format = " --yes --new-bundle-format=false --use-signing-config=false "
	want := []string{
		"sign" + format + "--recursive" + key + " " + tag.Digest(digest.String()).String(),
		"attest" + format + "--type=slsaprovenance1 --predicate=predicate.json" + key + " " +
			tag.Digest(digest.String()).String(),
	}
	for _, d := range m.Manifests {
		file := "provider-lambda-v1.2.3-test-linux-" + d.Platform.Architecture + ".spdx.json"
		want = append(want, "attest"+format+"--type=spdxjson --predicate="+file+key+" "+
			tag.Digest(d.Digest.String()).String())
	}
	return want
}

// checkPredicates compares what was attested with what was built.
func checkPredicates(t *testing.T, record, dir string) {
	t.Helper()
	read := func(path ...string) []byte {
		content, err := os.ReadFile(filepath.Join(path...))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	var statement struct {
		Predicate any `json:"predicate"`
	}
	if err := json.Unmarshal(read(dir, "provider-lambda-v1.2.3-test.provenance.json"), &statement); err != nil {
		t.Fatal(err)
	}
	var predicate any
	if err := json.Unmarshal(read(record, "predicate.2"), &predicate); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(statement.Predicate, predicate); diff != "" {
		t.Errorf("provenance: -built, +attested:\n%s", diff)
	}
	if !bytes.Equal(read(dir, "provider-lambda-v1.2.3-test-linux-amd64.spdx.json"), read(record, "predicate.3")) {
		t.Error("the bill of materials for linux/amd64 is not what was attested")
	}
}

func TestSignRefuses(t *testing.T) {
	cases := map[string]struct {
		reason  string
		prepare func(t *testing.T) (dir string)
		want    string
		pushed  bool
	}{
		"NoCosign": {
			reason: "What signs is not there, which is known before anything is pushed.",
			prepare: func(t *testing.T) string {
				t.Helper()
				t.Setenv("PATH", t.TempDir())
				return writtenPackage(t)
			},
			want: "cosign signs packages, and is not on the PATH",
		},
		"Dirty": {
			reason: "A signature stands for a commit.",
			prepare: func(t *testing.T) string {
				t.Helper()
				withCosign(t)
				r, dir := newFixture(t, 0o644), t.TempDir()
				r.Revision += "-dirty"
				b, err := build(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				if err := b.write(dir, io.Discard); err != nil {
					t.Fatal(err)
				}
				return dir
			},
			want: `built from "0123456789abcdef0123456789abcdef01234567-dirty", which is no commit`,
		},
		"OtherProvenance": {
			reason: "The provenance of another build is rejected.",
			prepare: func(t *testing.T) string {
				t.Helper()
				withCosign(t)
				dir := writtenPackage(t)
				if err := os.WriteFile(filepath.Join(dir, "provider-lambda-v1.2.3-test.provenance.json"),
					[]byte(`{"subject": [{"digest": {"sha256": "00"}}]}`), 0o600); err != nil {
					t.Fatal(err)
				}
				return dir
			},
			want: "provenance.json is not of the package sha256:",
		},
		"CosignFails": {
			reason: "An error of cosign is reported with its arguments.",
			prepare: func(t *testing.T) string {
				t.Helper()
				withCosign(t)
				t.Setenv("COSIGN_EXIT", "3")
				return writtenPackage(t)
			},
			want: "cosign sign --yes --new-bundle-format=false --use-signing-config=false --recursive failed, see " +
				"above; it takes v2.6 or later: exit status 3",
			pushed: true,
		},
	}
	for title, tc := range cases {
		t.Run(title, func(t *testing.T) {
			dir, to := tc.prepare(t), newRegistry(t, toAll)+testTag
			err := pushCommand{Out: dir, Version: "v1.2.3-test", Sign: "keyless"}.push(t.Context(), to, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\npush(): got error %v, want one with %q", tc.reason, err, tc.want)
			}
			tag, err := name.NewTag(to)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := remote.Index(tag); (err == nil) != tc.pushed {
				t.Errorf("\n%s\nis the package in the registry? %v, want %t", tc.reason, err, tc.pushed)
			}
		})
	}
}
