package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestMarshal checks that all texts that AWS accepts can be written, and are read as they were.
func TestMarshal(t *testing.T) {
	for name, text := range map[string]string{
		"Controls": "a\x1b\x7f\u0080\u009b2J\ufffe\uffff", "Format": "\u202e\u200b\ufeff\U000e0041",
		"Other": "größer \"✔\" 🚀\n\\u009b",
	} {
		t.Run(name, func(t *testing.T) {
			want := map[string]any{"description": text, "tags": map[string]any{text: text}}
			b, err := marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]any{}
			if err := yaml.Unmarshal(b, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want, +got:\n%s\n%s", diff, b)
			}
		})
	}
}

// TestFileNames checks the names of the files of functions, some of which mean something to other programs.
func TestFileNames(t *testing.T) {
	for name, want := range map[string]string{
		"checkout": "checkout.yaml", "contact": "contact.yaml", "com10": "com10.yaml", "shared": "shared.yaml",
		"kustomization": "function-kustomization.yaml", "con": "function-con.yaml", "nul": "function-nul.yaml",
		"com1": "function-com1.yaml",
	} {
		got, err := files(&Result{Items: []*Item{{File: name, Secret: &corev1.Secret{}}}}, nil)
		if err != nil || len(got) != 1 || got[0].name != want {
			t.Errorf("%s: want %s, got %v, %v", name, want, got, err)
		}
	}
}
