package main

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestLinks fails when the provider imports what only tests and tools need, or another AWS service: each service costs
// half a megabyte of memory or more, even if it is not used.
func TestLinks(t *testing.T) {
	const sdk = "github.com/aws/aws-sdk-go-v2/service/"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`,
		".").Output()
	if err != nil {
		t.Fatal(err)
	}
	var services []string
	for line := range strings.Lines(string(out)) {
		p, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		// The parser of timestamps in signatures has a helper for tests in its package.
		if slices.Contains(strings.Fields(imports), "testing") && p != "github.com/digitorus/pkcs7" {
			t.Errorf("%s must not import testing", p)
		}
		if path.Dir(p)+"/" == sdk {
			services = append(services, path.Base(p))
		}
		for _, unwanted := range []string{
			"github.com/crossplane-contrib/provider-lambda/internal/test/", "net/http/httptest", "k8s.io/code-generator/", "sigs.k8s.io/controller-tools/",
			"github.com/spf13/cobra", "k8s.io/client-go/kubernetes/fake",
		} {
			if strings.HasPrefix(p+"/", strings.TrimSuffix(unwanted, "/")+"/") {
				t.Errorf("the provider must not import %s", p)
			}
		}
	}
	// The services for sign-in come with the SDK's configuration.
	want := []string{"cloudwatch", "ecr", "lambda", "s3", "signin", "sqs", "sso", "ssooidc", "sts"}
	if diff := cmp.Diff(want, services, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("AWS services: -want, +got:\n%s", diff)
	}
}
