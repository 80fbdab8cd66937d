package archive

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// etagServer answers as S3 does for an object with an ETag, or with a status if that is empty. It counts calls.
type etagServer struct {
	etag   string
	status int
	calls  int
}

func (s *etagServer) Do(*http.Request) (*http.Response, error) {
	s.calls++
	if s.etag == "" {
		return &http.Response{StatusCode: s.status, Body: http.NoBody}, nil
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Header: http.Header{"Etag": {s.etag}}}, nil
}

func TestUnlisted(t *testing.T) {
	object := func(key string) Source { return Source{S3Bucket: ptr.To("code"), S3Key: ptr.To(key)} }
	version := object("a.zip")
	version.S3ObjectVersion = ptr.To("v1")
	cases := map[string]struct {
		reason   string
		source   Source
		deployed string
		etag     string
		status   int
		unknown  bool
		looksUp  bool
		same     bool
	}{
		"Object": {
			reason:   "It is the one that was deployed.",
			source:   object("a.zip"),
			deployed: "s3://code/a.zip#e1",
			etag:     `"e1"`,
			looksUp:  true,
			same:     true,
		},
		"Replaced": {
			reason:   "It was replaced.",
			source:   object("a.zip"),
			deployed: "s3://code/a.zip#e1",
			etag:     `"e2"`,
			looksUp:  true,
		},
		"Denied": {
			reason:   "The reconcile reports the error.",
			source:   object("a.zip"),
			deployed: "s3://code/a.zip#e1",
			status:   http.StatusForbidden,
			looksUp:  true,
		},
		"Deleted": {
			reason:   "The reconcile reports the error.",
			source:   object("a.zip"),
			deployed: "s3://code/a.zip#e1",
			status:   http.StatusNotFound,
			looksUp:  true,
		},
		"Away": {
			reason:   "Nothing says that it was replaced.",
			source:   object("a.zip"),
			deployed: "s3://code/a.zip#e1",
			status:   http.StatusServiceUnavailable,
			looksUp:  true,
			same:     true,
		},
		"HashSign": {
			reason:   "A key may have any character.",
			source:   object("build#1/a.zip"),
			deployed: "s3://code/build#1/a.zip#e1",
			etag:     `"e1"`,
			looksUp:  true,
			same:     true,
		},
		"NoETag": {
			reason:   "AWS did not return the ETag.",
			source:   object("build#1.zip"),
			deployed: "s3://code/build#1.zip",
		},
		"Version": {reason: "A version does not change.", source: version},
		"Inline":  {reason: "Spec has the code.", source: Source{Inline: map[string]string{"a": "b"}}},
		"Longer": {
			reason:   "Another object has the key with a # and more.",
			source:   object("a"),
			deployed: "s3://code/a#1#e1",
			unknown:  true,
		},
		"Other": {
			reason:   "Another object was deployed.",
			source:   object("b.zip"),
			deployed: "s3://code/a.zip#e1",
			unknown:  true,
		},
		"Nothing": {reason: "Status has nothing.", source: object("b.zip"), unknown: true},
		"Tag": {
			reason:  "A tag may move.",
			source:  Source{OCI: &v1beta1.OCISource{TrackTag: ptr.To(true)}},
			unknown: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var last *v1beta1.DeployedCode
			if tc.deployed != "" {
				last = &v1beta1.DeployedCode{Source: tc.deployed}
			}
			ref := Unlisted(listpoll.Ref{ID: "f"}, tc.source, last)
			if (ref == nil) != tc.unknown || ref != nil && (ref.Unlisted != nil) != tc.looksUp {
				t.Fatalf("%s\ngot %+v, want none: %t, with a look-up: %t", tc.reason, ref, tc.unknown, tc.looksUp)
			}
			if !tc.looksUp {
				return
			}
			server, now := &etagServer{etag: tc.etag, status: tc.status}, time.Unix(1_700_000_000, 0)
			s := &session.Session{AWS: aws.Config{
				Region: "eu-central-1", Credentials: aws.AnonymousCredentials{}, HTTPClient: server,
				Retryer: func() aws.Retryer { return aws.NopRetryer{} },
			}}
			for range 2 {
				if got := ref.Unlisted(
					t.Context(),
					s,
					readcache.Freshness{Now: now, Since: now.Add(-5 * time.Minute)},
				); got != tc.same {
					t.Errorf("%s\ngot the same: %t, want %t", tc.reason, got, tc.same)
				}
			}
			if tc.etag != "" && server.calls != 1 {
				t.Errorf("two resources with the object look it up %d times, want once", server.calls)
			}
		})
	}
}
