package layerversion

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that one version is left, that of spec, and none after the deletion, while those of others
// stay.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.LayerVersion] {
		t.Helper()
		e, l := newEnv(t), testLayer()
		l.Spec.ForProvider.Content = inline("one")
		stored := ""
		text := func() string {
			if c := l.Spec.ForProvider.Content; c.S3Key == nil {
				return c.Inline["python/m.py"]
			}
			return stored
		}
		uploaded := func() string {
			stored = fmt.Sprint(draw.IntN(3))
			e.Double.PutObject("code", "k", e.zip(map[string][]byte{"python/m.py": []byte(stored)}))
			return "object " + stored
		}
		e.Double.CreateBucket("code", draw.IntN(2) == 0)
		uploaded()
		h := &testenv.History[*v1beta1.LayerVersion]{
			Env: e.Env, Draw: draw, Resource: l, Restart: func() { e.usages = newUsages() },
			Calls: []string{opGet, opPublish, opDelete, opList, "HeadObject"},
		}
		foreign := map[int64]bool{}
		own := func() []int64 {
			return slices.DeleteFunc(e.versions(), func(n int64) bool { return foreign[n] })
		}
		edited := func() string {
			l.Spec.ForProvider.Content = inline(fmt.Sprint(draw.IntN(3)))
			return "content " + text()
		}
		h.Changes = []func() string{
			edited, edited, uploaded,
			func() string {
				l.Spec.ForProvider.Content = &v1beta1.LayerContent{S3Bucket: ptr.To("code"), S3Key: ptr.To("k")}
				return "content of the object"
			},
			func() string {
				for op, answer := range map[string]awsdouble.Error{
					"HeadObject": {Status: http.StatusNotFound, Code: "NotFound"},
					opPublish: {
						Status: http.StatusBadRequest, Code: "InvalidParameterValueException",
						Message: "Error occurred while GetObject. S3 Error Code: NoSuchKey. S3 Error Message: The specified " +
							"key does not exist.",
					},
				} {
					e.Double.Fail(awsdouble.Fault{Operation: op, Times: -1, Error: answer})
				}
				return "the object is gone for a moment"
			},
			func() string {
				e.Double.ClearFaults()
				n := e.others(map[string][]byte{"m": fmt.Append(nil, l.Generation)})
				foreign[n] = true
				return fmt.Sprintf("someone publishes version %d", n)
			},
			h.ByHand(func() string {
				all := own()
				if len(all) == 0 {
					return "nothing"
				}
				n := all[draw.IntN(len(all))]
				e.Must(e.deletes(n))
				return fmt.Sprintf("someone deletes version %d", n)
			}),
		}
		h.End = func() {
			all := own()
			if len(all) != 1 {
				t.Fatalf("there are %v, want one", all)
			}
			o, err := e.Lambda.GetLayerVersion(e.Context(),
				&lambda.GetLayerVersionInput{LayerName: ptr.To("l"), VersionNumber: &all[0]})
			e.Must(err)
			want := archive.Hash(e.zip(map[string][]byte{"python/m.py": []byte(text())}))
			if *o.Content.CodeSha256 != want {
				t.Errorf("version %d has another content than %s", all[0], text())
			}
		}
		h.Gone = func() {
			if left := e.versions(); len(own()) > 0 || len(left) != len(foreign) {
				t.Errorf("%v are left, want %d of others", left, len(foreign))
			}
		}
		return h
	})
}
