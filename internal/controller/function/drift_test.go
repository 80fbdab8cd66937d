package function

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// TestDriftIsDistinguishedFromUpdates checks that a change made in AWS after a function has converged is
// reported as drift, and that a new object under the same S3 key is not.
func TestDriftIsDistinguishedFromUpdates(t *testing.T) {
	zip, err := archive.Zip(map[string][]byte{"index.py": []byte("other")})
	if err != nil {
		t.Fatal(err)
	}
	object := &v1beta1.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip")}
	inline := &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "x"}}
	byHand := func(e *env, in lambda.UpdateFunctionConfigurationInput) {
		in.FunctionName = ptr.To("f")
		_, err := e.Lambda.UpdateFunctionConfiguration(e.Context(), &in)
		e.Must(err)
	}
	codeByHand := func(e *env) {
		_, err := e.Lambda.UpdateFunctionCode(
			e.Context(), &lambda.UpdateFunctionCodeInput{FunctionName: ptr.To("f"), ZipFile: zip},
		)
		e.Must(err)
	}
	cases := map[string]struct {
		reason string
		spec   func(*v1beta1.FunctionParameters)
		do     func(*env)
		want   reconcile.SyncState
		does   string
	}{
		"Nothing": {
			reason: "Nothing has changed.",
			spec:   func(p *v1beta1.FunctionParameters) { p.Code = object },
			do:     func(*env) {},
			want:   reconcile.UpToDate,
		},
		"Object": {
			reason: "New code under the same key is no drift.",
			spec:   func(p *v1beta1.FunctionParameters) { p.Code = object },
			do:     func(e *env) { e.Double.PutObject("bucket", "k1.zip", zip) },
			want:   reconcile.SourceChanged,
			does:   "the source changed: code.source: ",
		},
		"ObjectByHand": {
			reason: "Code that someone else has deployed is.",
			spec:   func(p *v1beta1.FunctionParameters) { p.Code = object },
			do:     codeByHand,
			want:   reconcile.Differs,
			does:   "changed in AWS by hand: code.s",
		},
		"InlineByHand": {
			reason: "Inline code that someone else has replaced is drift.",
			spec:   func(p *v1beta1.FunctionParameters) { p.Code = inline },
			do:     codeByHand,
			want:   reconcile.Differs,
			does:   "changed in AWS by hand: code.s",
		},
		"Tag": {
			reason: "An image's tag that names another one now is no drift.",
			spec: func(p *v1beta1.FunctionParameters) {
				p.PackageType, p.Runtime, p.Handler = ptr.To("Image"), nil, nil
				p.Code = &v1beta1.FunctionCode{ImageURI: ptr.To(testImage + ":1"), TrackImageTag: ptr.To(true)}
			},
			do:   func(e *env) { e.Double.PutImage("repo", "1", "sha256:"+fmt.Sprintf("%064d", 3)) },
			want: reconcile.SourceChanged,
			does: "the source changed: code.sha256: ",
		},
		"ImageByHand": {
			reason: "Another image that someone has deployed is.",
			spec: func(p *v1beta1.FunctionParameters) {
				p.PackageType, p.Runtime, p.Handler = ptr.To("Image"), nil, nil
				p.Code = &v1beta1.FunctionCode{ImageURI: ptr.To(testImage + ":1"), TrackImageTag: ptr.To(true)}
			},
			do: func(e *env) {
				_, err := e.Lambda.UpdateFunctionCode(e.Context(), &lambda.UpdateFunctionCodeInput{
					FunctionName: ptr.To("f"), ImageUri: ptr.To(testImage + ":2"),
				})
				e.Must(err)
			},
			want: reconcile.Differs,
		},
		"Setting": {
			reason: "A setting that someone has changed is drift.",
			spec:   func(p *v1beta1.FunctionParameters) { p.MemorySize = ptr.To[int32](256) },
			do:     func(e *env) { byHand(e, lambda.UpdateFunctionConfigurationInput{MemorySize: ptr.To[int32](512)}) },
			want:   reconcile.Differs,
		},
		"Unmanaged": {
			reason: "One that spec leaves to others is not.",
			spec:   func(p *v1beta1.FunctionParameters) { p.Publish = ptr.To(true) },
			do:     func(e *env) { byHand(e, lambda.UpdateFunctionConfigurationInput{Description: ptr.To("by hand")}) },
			want:   reconcile.UpToDate,
		},
		"UnmanagedAndPublished": {
			reason: "A manual change of a field that spec does not set is not drift, even if a version of it is due.",
			spec:   func(p *v1beta1.FunctionParameters) { p.Publish, p.PublishOn = ptr.To(true), ptr.To("AnyChange") },
			do:     func(e *env) { byHand(e, lambda.UpdateFunctionConfigurationInput{Description: ptr.To("by hand")}) },
			want:   reconcile.SourceChanged,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := testFunction(func(f *v1beta1.Function) { tc.spec(&f.Spec.ForProvider) })
			e.Converge(f)
			tc.do(e)
			e.Advance(time.Minute)
			byHand := func() (changed, drifted string) { return "", "changed in AWS by hand" }
			done := engine.Once(t.Context(), e.Observer(), reconcile.Facts{CausesFn: byHand}, f, nil)
			e.Must(done.Err)
			if done.State != tc.want || !strings.HasPrefix(done.Does, tc.does) {
				t.Errorf("%s: want %d and %q, got %d and %q", tc.reason, tc.want, tc.does, done.State, done.Does)
			}
		})
	}
}
