package kubectl

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestRead checks which objects of files get the namespace of the command, and that one with another namespace is
// rejected if the user has named it, as kubectl apply does.
func TestRead(t *testing.T) {
	const manifests = `
{apiVersion: v1, kind: List, items: [
  {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Function, metadata: {name: a}},
  {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Function, metadata: {name: b, namespace: other}},
  {apiVersion: iam.aws.m.upbound.io/v1beta1, kind: Role, metadata: {name: r}},
  {apiVersion: v1, kind: Namespace, metadata: {name: shop}},
  {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: ClusterProviderConfig, metadata: {name: default}}]}
`
	cases := map[string]struct {
		reason string
		flag   string
		want   []string
		err    string
	}{
		"Default": {
			reason: "An object of a file may have a namespace of its own.",
			want: []string{
				"Function default/a",
				"Function other/b",
				"Role default/r",
				"Namespace /shop",
				"ClusterProviderConfig /default",
			},
		},
		"Same": {
			reason: "The flag is for all objects.",
			flag:   "other",
			want: []string{
				"Function other/a",
				"Function other/b",
				"Role other/r",
				"Namespace /shop",
				"ClusterProviderConfig /default",
			},
		},
		"Another": {
			reason: "The command would say nothing of the namespace that the user asks about.",
			flag:   "typo",
			err:    `the namespace "other" of Function b does not match the namespace "typo": set --namespace=other, or leave the flag out`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
			f := NewFactory(
				genericiooptions.IOStreams{
					In:     strings.NewReader(manifests),
					Out:    &bytes.Buffer{},
					ErrOut: &bytes.Buffer{},
				},
				time.Now,
				"test",
			)
			*f.Config.Namespace = tc.flag
			s := Source{filenames: []string{"-"}}
			objects, err := s.Read(f)
			if (err != nil || tc.err != "") && (err == nil || err.Error() != tc.err) {
				t.Fatalf("%s\nerror %v, want %q", tc.reason, err, tc.err)
			}
			var got []string
			for _, u := range objects {
				got = append(got, u.GetKind()+" "+u.GetNamespace()+"/"+u.GetName())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
