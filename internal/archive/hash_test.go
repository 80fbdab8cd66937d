package archive

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
)

// zeros reads as zeros without end, and counts the bytes read.
type zeros struct{ read int64 }

func (z *zeros) Read(b []byte) (int, error) { z.read += int64(len(b)); return len(b), nil }

func (z *zeros) Close() error { return nil }

// TestObjectsAreReadToABound checks that an object that is too large for a function is not
// read completely, whatever size S3 returns.
func TestObjectsAreReadToABound(t *testing.T) {
	cases := map[string]struct {
		reason string
		length *int64
		most   int64
	}{
		"Told":   {reason: "S3 announces a size above the limit.", length: ptr.To[int64](maxArchive + 1)},
		"Untold": {reason: "What answers does not say.", most: maxArchive + 1<<20},
		"Wrong":  {reason: "The announced length is wrong.", length: ptr.To[int64](1), most: maxArchive + 1<<20},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			body := &zeros{}
			f := Finder{S3: &fakeS3{get: func(*s3.GetObjectInput) (*s3.GetObjectOutput, error) {
				return &s3.GetObjectOutput{Body: body, ContentLength: tc.length}, nil
			}}}
			_, err := f.download(t.Context(), Bundle{From: Source{S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}})
			if err == nil || !strings.Contains(err.Error(), "s3://b/k is larger than 300 MB") || body.read > tc.most ||
				backoff.Classify(err) != backoff.Terminal {
				t.Errorf("%s: got %v after %d bytes", tc.reason, err, body.read)
			}
		})
	}
}

// TestHashesAreRemembered checks that an object that does not match the pin is not read in each attempt.
func TestHashesAreRemembered(t *testing.T) {
	etag, gets, now := "e1", 0, time.Unix(0, 0)
	f := Finder{Hashes: &readcache.Cache{}, Now: func() time.Time { return now }, S3: &fakeS3{
		head: func(*s3.HeadObjectInput) (*s3.HeadObjectOutput, error) { return &s3.HeadObjectOutput{ETag: &etag}, nil },
		get: func(*s3.GetObjectInput) (*s3.GetObjectOutput, error) {
			gets++
			return &s3.GetObjectOutput{Body: io.NopCloser(strings.NewReader("code"))}, nil
		},
	}}
	pinned := Source{Field: "code", S3Bucket: ptr.To("b"), S3Key: ptr.To("k"), SHA256: ptr.To(Hash([]byte("other")))}
	for want, change := range []func(){func() {}, func() { etag = "e2" }, func() { now = now.Add(2 * hashMaxAge) }} {
		change()
		for range 5 {
			if _, err := f.Find(t.Context(), "shop", pinned, nil); err == nil ||
				!strings.Contains(err.Error(), "pins") {
				t.Fatalf("want that the pin is told, got %v", err)
			}
		}
		if gets != want+1 {
			t.Errorf("the object was read %d times, want %d", gets, want+1)
		}
	}
}

// TestLookUpsAreShared checks that polls of resources with the same object look it up once, and that all others see the
// present object.
func TestLookUpsAreShared(t *testing.T) {
	cases := map[string]struct {
		reason string
		age    time.Duration
		other  bool
		want   int
	}{
		"Poll": {reason: "A poll uses what another one has read.", age: 5 * time.Minute, want: 1},
		"Change": {
			reason: "A change by a user is compared with the present object.", age: 2 * time.Second,
			want: 2,
		},
		"OtherObject": {reason: "Another object is looked up.", age: 5 * time.Minute, other: true, want: 2},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			heads, now := 0, time.Unix(1_000_000, 0)
			f := Finder{
				Hashes: &readcache.Cache{}, Now: func() time.Time { return now },
				Fresh: readcache.Freshness{Now: now, Since: now.Add(-tc.age)},
				S3: &fakeS3{head: func(*s3.HeadObjectInput) (*s3.HeadObjectOutput, error) {
					heads++
					return &s3.HeadObjectOutput{ETag: ptr.To(`"e1"`)}, nil
				}},
			}
			for i := range 2 {
				s := Source{Field: "code", S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}
				if tc.other && i == 1 {
					s.S3Key = ptr.To("l")
				}
				b, err := f.Find(t.Context(), "ns", s, nil)
				if err != nil || b.Version != "e1" {
					t.Errorf("%s\ngot version %q, %v", tc.reason, b.Version, err)
				}
				now = now.Add(time.Minute)
			}
			if heads != tc.want {
				t.Errorf("%s\n%d calls, want %d", tc.reason, heads, tc.want)
			}
		})
	}
}
