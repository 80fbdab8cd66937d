package sdkcalls

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const client = `package p

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"example.org/other"
)

func read(api *lambda.Client) (*lambda.GetFunctionOutput, error) {
	other.Do(&other.ReadInput{}, types.Input{})
	return api.GetFunction(ctx, &lambda.GetFunctionInput{}, options)
}

func again() *lambda.GetFunctionInput { return nil }`

func TestOf(t *testing.T) {
	bundle := map[string]string{"internal/archive/s3.go": `package bundle
import "github.com/aws/aws-sdk-go-v2/service/s3"
var _ = s3.HeadObjectInput{}`}
	cases := map[string]struct {
		reason string
		files  map[string]string
		want   []Call
		fails  bool
	}{
		"Calls": {
			reason: "Each call once, and nothing else.",
			files:  map[string]string{"kind/client.go": client}, want: []Call{{"lambda", "GetFunction"}},
		},
		"Shared": {
			reason: "The calls of shared packages count for the kind that imports them.",
			files: map[string]string{
				"kind/client.go":   client,
				"kind/external.go": "package p\nimport \"" + module + "internal/archive\"",
			},
			want: []Call{{"lambda", "GetFunction"}, {"s3", "HeadObject"}},
		},
		"InATest": {
			reason: "What a test imports the kind does not call.",
			files: map[string]string{
				"kind/client.go":        client,
				"kind/external_test.go": "package p\nimport \"" + module + "internal/archive\"",
			},
			want: []Call{{"lambda", "GetFunction"}},
		},
		"Nothing": {
			reason: "A kind that calls nothing is a mistake.",
			files:  map[string]string{"kind/client.go": "package p\nfunc Close() error"}, fails: true,
		},
		"NotThere": {reason: "A missing kind is an error.", fails: true},
		"NoCode": {
			reason: "An unreadable file is an error.", files: map[string]string{"kind/client.go": "pack"},
			fails: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			files := maps.Clone(bundle)
			maps.Copy(files, tc.files)
			for file, code := range files {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := Of(root, filepath.Join(root, "kind"))
			if diff := cmp.Diff(tc.want, got); diff != "" || (err != nil) != tc.fails {
				t.Errorf("%s: -want, +got:\n%s, %v", tc.reason, diff, err)
			}
		})
	}
}
