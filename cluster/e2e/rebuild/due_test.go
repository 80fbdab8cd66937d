package rebuild

import "testing"

func TestDue(t *testing.T) {
	cases := map[string]struct {
		reason string
		before due
		file   string
		want   due
	}{
		"Code":    {reason: "The program is made of it.", file: "internal/diff/diff.go", want: due{program: true}},
		"Modules": {reason: "The program is made of them.", file: "go.mod", want: due{program: true}},
		"Type": {
			reason: "Code and definitions are made of it.", file: "apis/v1beta1/function_types.go",
			want: due{generate: true, program: true},
		},
		"Generated": {
			reason: "Generated code only needs a build.", file: "apis/v1beta1/zz_generated.deepcopy.go",
			want: due{program: true},
		},
		"Definition": {
			reason: "Crossplane installs it.", file: "package/crds/functions.yaml",
			want: due{install: true},
		},
		"Metadata": {reason: "Crossplane reads it.", file: "crossplane.yaml", want: due{install: true}},
		"Icon":     {reason: "The icon is part of the package.", file: "package/icon.svg", want: due{install: true}},
		"More": {
			reason: "What was due before still is.", before: due{install: true}, file: "internal/diff/diff.go",
			want: due{install: true, program: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.before.of([]string{tc.file}); got != tc.want {
				t.Errorf("%s of(%s) = %+v, want %+v", tc.reason, tc.file, got, tc.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	cases := map[string]struct {
		files []string
		want  string
	}{
		"One":  {files: []string{"a"}, want: "a has changed"},
		"Few":  {files: []string{"a", "b", "c"}, want: "a, b, c have changed"},
		"Many": {files: []string{"a", "b", "c", "d"}, want: "4 files have changed, a among them"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := names(tc.files); got != tc.want {
				t.Errorf("names() = %q, want %q", got, tc.want)
			}
		})
	}
}
