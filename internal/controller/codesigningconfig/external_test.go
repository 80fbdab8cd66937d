package codesigningconfig

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// create creates a configuration that nobody manages, and returns its ARN.
func (e *env) create() string {
	e.Helper()
	out, err := e.Lambda.CreateCodeSigningConfig(e.Context(), &lambda.CreateCodeSigningConfigInput{
		Description: ptr.To(
			"d",
		),
		AllowedPublishers: &types.AllowedPublishers{SigningProfileVersionArns: []string{profile(1)}},
	})
	e.Must(err)
	return *out.CodeSigningConfig.CodeSigningConfigArn
}

func TestObserveErrors(t *testing.T) {
	cases := map[string]struct {
		reason, operation string
		pending           bool
		want              string
	}{
		"Get": {
			reason:    "What could not be read is named.",
			operation: opGet,
			want:      "cannot read code signing configuration ARN",
		},
		"Tags": {
			reason:    "Without tags, the ownership is unknown.",
			operation: opTags,
			want:      "cannot read the tags of ARN",
		},
		"List": {
			reason:    "What may have been created must be found before anything is created.",
			pending:   true,
			operation: opList,
			want:      "cannot list code signing configurations",
		},
		"TagsOfACandidate": {
			reason:    "A candidate with unreadable tags may be the created one.",
			pending:   true,
			operation: opTags,
			want:      "to check whether this resource created it",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			c, arn := testConfig(), e.create()
			if tc.pending {
				testenv.Pending(c)
			} else {
				meta.SetExternalName(c, arn)
			}
			e.Refuse(tc.operation, http.StatusForbidden, "AccessDeniedException", "boom")
			if got := e.Observe(c); !strings.Contains(got.Err, strings.Replace(tc.want, "ARN", arn, 1)) {
				t.Errorf("%s\nerror: want %q, got %v", tc.reason, tc.want, got.Err)
			}
		})
	}
}

func TestObserveOnlyNeedsNoRightToTags(t *testing.T) {
	e := newEnv(t)
	c := testenv.Build(testConfig(), testenv.ObserveOnly, testenv.Imported[*v1beta1.CodeSigningConfig](e.create()))
	e.Refuse(opTags, http.StatusForbidden, "AccessDeniedException", "no")
	if got := e.Observe(
		c,
	); got.Err != "" || !got.Exists || !got.UpToDate ||
		ptr.Deref(c.Status.AtProvider.Description, "") != "d" {
		t.Errorf("whatever is there is shown: %+v, status %+v", got, c.Status.AtProvider)
	}
}
