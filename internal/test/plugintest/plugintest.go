// Package plugintest has what tests of several commands of the kubectl plugin need: objects in an API server, a network
// that rejects reads, and the AWS configuration of a machine.
package plugintest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// SetMachine gives the test the environment of a machine without a kubeconfig, whose AWS credentials and endpoint are
// in the environment.
func SetMachine(t *testing.T, endpoint, secretKey string) {
	t.Helper()
	nowhere := filepath.Join(t.TempDir(), "none")
	for k, v := range map[string]string{
		"KUBECONFIG": nowhere, "AWS_CONFIG_FILE": nowhere, "AWS_SHARED_CREDENTIALS_FILE": nowhere, "AWS_PROFILE": "",
		"AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": "AKIADOUBLE", "AWS_SECRET_ACCESS_KEY": secretKey,
		"AWS_SESSION_TOKEN":         "",
		"AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(k, v)
	}
}

// A Network rejects reads of some types, and counts the requests by method.
type Network struct {
	// To is the address to which requests go.
	To http.RoundTripper

	// Forbidden are the plurals of the types that may not be read.
	Forbidden []string

	// Methods are the numbers of requests.
	Methods map[string]int
}

// RoundTrip sends a request.
func (n *Network) RoundTrip(r *http.Request) (*http.Response, error) {
	if n.Methods == nil {
		n.Methods = map[string]int{}
	}
	n.Methods[r.Method]++
	for _, plural := range n.Forbidden {
		if strings.HasSuffix(r.URL.Path, "/"+plural) {
			b, err := json.Marshal(metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
				Status:   "Failure", Reason: metav1.StatusReasonForbidden, Code: http.StatusForbidden, Message: plural +
					" is forbidden",
			})
			return &http.Response{
				StatusCode: http.StatusForbidden,
				Header:     http.Header{"Content-Type": {"application/json"}}, Request: r,
				Body: io.NopCloser(bytes.NewReader(b)),
			}, err
		}
	}
	return n.To.RoundTrip(r)
}

// Create creates the objects of manifests, each with its status.
func Create(t *testing.T, client dynamic.Interface, manifests string) {
	t.Helper()
	for doc := range strings.SplitSeq(manifests, "\n---\n") {
		create(t, client, doc)
	}
}

// Documented checks that one of the pages on the plugin, docs/kubectl-lambda*.md, shows what was printed.
func Documented(t *testing.T, printed string) {
	t.Helper()
	pages, err := filepath.Glob("../../../docs/kubectl-lambda*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		b, err := os.ReadFile(page) //nolint:gosec // The pages are the repository's.
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), printed) {
			return
		}
	}
	t.Errorf("no page of docs/kubectl-lambda*.md shows:\n%s", printed)
}

func create(t *testing.T, client dynamic.Interface, doc string) {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(doc), &u.Object); err != nil {
		t.Fatal(err)
	}
	plural, _ := kmeta.UnsafeGuessKindToResource(u.GroupVersionKind())
	var in dynamic.ResourceInterface = client.Resource(plural)
	if u.GetNamespace() != "" {
		in = client.Resource(plural).Namespace(u.GetNamespace())
	}
	created, err := in.Create(t.Context(), u, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s, has := u.Object["status"]; has {
		created.Object["status"] = s
		if _, err := in.UpdateStatus(t.Context(), created, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}
