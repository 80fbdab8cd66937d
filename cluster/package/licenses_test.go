package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// mit is an allowed license. With notEvil in it, it is another one, which is not allowed.
const (
	permission = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

`
	asIs = `THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`
	mit     = "MIT License\n\nCopyright (c) 2026 The Authors\n\n" + permission + asIs
	notEvil = "Copyright (c) 2002 JSON.org\n\n" + permission + "The Software shall be used for Good, not Evil.\n\n" +
		asIs
)

func TestThirdParties(t *testing.T) {
	type want struct {
		licenses []string
		texts    []string
		err      string
	}
	cases := map[string]struct {
		reason string
		files  map[string]string
		want   want
	}{
		"Allowed": {
			reason: "A license that asks for a notice only is fine.",
			files:  map[string]string{"LICENSE": mit},
			want:   want{licenses: []string{"MIT"}, texts: []string{"LICENSE"}},
		},
		"OfAFolder": {
			reason: "What a module took from others has the license of its folder besides, and notices are passed on.",
			files: map[string]string{
				"COPYING": mit, "NOTICE.txt": "Made by the authors.\r\n", "inner/LICENSE": mit,
				"unused/LICENSE": notEvil, "inner/license.go": "package inner\n",
			},
			want: want{licenses: []string{"MIT"}, texts: []string{"COPYING", "NOTICE.txt", "inner/LICENSE"}},
		},
		"OfDocumentation": {
			reason: "The documentation of a module is not in the image, whatever its license.",
			files:  map[string]string{"LICENSE": mit, "LICENSE.docs": notEvil},
			want:   want{licenses: []string{"MIT"}, texts: []string{"LICENSE"}},
		},
		"NotAllowed": {
			reason: "A license that is not on the list is named.",
			files:  map[string]string{"LICENSE": notEvil},
			want:   want{err: "./third: LICENSE: the license JSON is not among those that may be in the image"},
		},
		"NotAllowedInAFolder": {
			reason: "The license of a compiled folder must be on the list, too.",
			files:  map[string]string{"LICENSE": mit, "inner/LICENSE": notEvil},
			want:   want{err: "./third: inner/LICENSE: the license JSON"},
		},
		"Unknown": {
			reason: "An unknown text is not accepted as a license.",
			files:  map[string]string{"LICENSE": "Ask the authors before you use this, and pay them well."},
			want:   want{err: "only 0% of the text is of licenses that are known"},
		},
		"Added": {
			reason: "A license with additional terms is not recognized.",
			files: map[string]string{"LICENSE": mit + strings.Repeat("This holds for friends of the authors only, "+
				"and not on Sundays. ", 20)},
			want: want{err: "of the text is of licenses that are known (MIT), want 75%"},
		},
		"None": {
			reason: "What has no license may not be passed on.",
			files:  map[string]string{"NOTICE": "Made by the authors."},
			want:   want{err: "./third has no license that this program knows"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := thirdParties(t.Context(), withDependency(t, tc.files), providerProgram, platforms[0])
			if tc.want.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want.err) {
					t.Errorf("\n%s\nthirdParties(): got error %v, want one with %q", tc.reason, err, tc.want.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != 2 || found[0].path != "./third" || found[1].path != "stdlib" {
				t.Fatalf("\n%s\nthirdParties(): got %d components, want the module and the standard library", tc.reason,
					len(found))
			}
			var texts []string
			for _, text := range found[0].texts {
				texts = append(texts, text.name)
			}
			if diff := cmp.Diff(tc.want, want{licenses: found[0].licenses, texts: texts},
				cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nthirdParties(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// withDependency creates a repository with a provider that requires a module with the given files.
func withDependency(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	all := map[string]string{
		"go.mod": "module " + module +
			"\n\ngo 1.26.0\n\nrequire example.org/third v1.0.0\n\nreplace example.org/third v1.0.0 => ./third\n",
		"cmd/provider/main.go": "package main\n\nimport _ \"example.org/third\"\n\nfunc main() {}\n",
		"third/go.mod":         "module example.org/third\n\ngo 1.26.0\n",
		"third/third.go":       "package third\n\nimport _ \"example.org/third/inner\"\n",
		"third/inner/inner.go": "package inner\n\nimport _ \"strings\"\n",
	}
	for name, content := range files {
		all["third/"+name] = content
	}
	for name, content := range all {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestNoticeHoldsEachTextOnce covers two components with the same texts.
func TestNoticeHoldsEachTextOnce(t *testing.T) {
	got := string(notice([]component{
		{
			path: "example.org/a", version: "v1.0.0", licenses: []string{"MIT"},
			texts: []legalText{{"LICENSE", mit}, {"NOTICE", "Made by a.\n"}},
		},
		{
			path: "example.org/b", version: "v2.0.0", licenses: []string{"Apache-2.0", "MIT"},
			texts: []legalText{{"COPYING", mit}},
		},
	}))
	for _, want := range []string{
		"\nexample.org/a v1.0.0: MIT\nexample.org/b v2.0.0: Apache-2.0 AND MIT\n",
		"\nexample.org/a v1.0.0: LICENSE\nexample.org/b v2.0.0: COPYING\n" + strings.Repeat("-", 80) +
			"\n\nMIT License\n",
		"\nexample.org/a v1.0.0: NOTICE\n" + strings.Repeat("-", 80) + "\n\nMade by a.\n",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("the notice does not hold this once:\n%s\n\nIt is:\n%s", want, got)
		}
	}
}

// TestNoticeIsInTheImage checks that the notice contains the license of Go, which every Go program contains.
func TestNoticeIsInTheImage(t *testing.T) {
	_, tag := pushed(t)
	for _, p := range platforms {
		image, err := remote.Image(tag, remote.WithPlatform(p))
		if err != nil {
			t.Fatal(err)
		}
		got := string(files(t, image)["licenses/NOTICE"].content)
		for _, want := range []string{"\nstdlib 1.", ": BSD-3-Clause\n", "Copyright 2009 The Go Authors."} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the notice lacks %q:\n%s", p, want, got)
			}
		}
	}
}
