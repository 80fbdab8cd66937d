package layerversionpermission

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

const (
	layerArn = "arn:aws:lambda:eu-central-1:123456789012:layer:base"
)

// env is a test environment in which layer base has the versions 1 and 2.
type env struct {
	*testenv.Env[*v1beta1.LayerVersionPermission]
}

func newEnv(t testing.TB) env {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{})
	w.Lambda = w.Retrying()
	w.Double.PutObject("bucket", "k", []byte("PK\x05\x06"+strings.Repeat("\x00", 18)))
	for range 2 {
		_, err := w.Lambda.PublishLayerVersion(t.Context(), &lambda.PublishLayerVersionInput{
			LayerName: ptr.To(
				"base",
			),
			Content: &types.LayerVersionContentInput{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k")},
		})
		w.Must(err)
	}
	w.Double.ResetCalls()
	return env{testenv.Observing(w, func() reconcile.Observer[*v1beta1.LayerVersionPermission] {
		return newExternal(w.Lambda, w.Cache)
	})}
}

func testPermission(change ...func(*v1beta1.LayerVersionPermission)) *v1beta1.LayerVersionPermission {
	p := &v1beta1.LayerVersionPermission{
		ObjectMeta: metav1.ObjectMeta{Name: "partner", Namespace: "team", UID: "u1", Generation: 1},
		Spec: v1beta1.LayerVersionPermissionSpec{ForProvider: v1beta1.LayerVersionPermissionParameters{
			Regional: v1beta1.Regional{
				Region: testenv.Region,
			},
			LayerName:     ptr.To("base"),
			VersionNumber: ptr.To[int64](1),
			Principal:     ptr.To("111122223333"),
		}},
	}
	for _, c := range change {
		c(p)
	}
	return p
}

func TestFromSpecToAWSAndBack(t *testing.T) {
	e := newEnv(t)
	p := testPermission()
	if diff := cmp.Diff([]string{opRead, opAdd, opRead}, e.Reconcile(p)); diff != "" {
		t.Errorf("added: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{opRead}, e.Reconcile(p)); diff != "" {
		t.Errorf("a steady reconcile is one call: -want, +got:\n%s", diff)
	}
	s := p.Status.AtProvider
	if meta.GetExternalName(p) != "base:1:partner" || !ownership.WroteName(p) || *s.LayerVersionArn != layerArn+":1" ||
		*s.Principal != "111122223333" ||
		*s.RevisionID == "" {
		t.Errorf("%s: %+v", meta.GetExternalName(p), s)
	}

	p.Spec.ForProvider.Principal, p.Spec.ForProvider.OrganizationID = ptr.To("*"), ptr.To("o-a1b2c3d4e5")
	if diff := cmp.Diff([]string{opRead, opAdd, opRemove, opAdd, opRemove, opRead}, e.Reconcile(p)); diff != "" {
		t.Errorf("changed: -want, +got:\n%s", diff)
	}
	if got := e.Double.Policy(layerArn + ":1"); !strings.Contains(got, "o-a1b2c3d4e5") {
		t.Errorf("the policy is %s", got)
	}

	e.Remove(p)
	e.Reconcile(p)
	if got := e.Double.Policy(layerArn + ":1"); got != "" {
		t.Errorf("a deleted permission is gone, got %s", got)
	}
}

// TestMoveAfterAWrongNotFound checks that a statement that is to move to another version is not left at the last one if
// AWS reports once that it does not exist, although it was not ready.
func TestMoveAfterAWrongNotFound(t *testing.T) {
	e := newEnv(t)
	p := testPermission(func(p *v1beta1.LayerVersionPermission) {
		p.Spec.ForProvider.LayerName, p.Spec.ForProvider.VersionNumber = nil, nil
		p.Spec.ForProvider.LayerVersionArn = ptr.To(layerArn + ":1")
	})
	e.Reconcile(p)
	p.SetConditions(reconcile.Updating(p.Generation, ""))
	p.Spec.ForProvider.LayerVersionArn = ptr.To(layerArn + ":2")
	p.Generation++
	e.Advance(time.Minute)
	e.Double.Fail(awsdouble.Fault{
		Operation: opRead, Times: 1, Answer: testenv.Refusal(http.StatusNotFound, "ResourceNotFoundException"),
	})
	e.Reconcile(p)
	if got := e.Double.Policy(layerArn + ":1"); got != "" {
		t.Errorf("left behind: %s", got)
	}
	if got := e.Double.Policy(layerArn + ":2"); !strings.Contains(got, "partner") {
		t.Errorf("the policy is %s", got)
	}
}

// TestFollowsTheLayer checks that the statement follows its layer to the next published
// version, even if the previous one no longer exists.
func TestFollowsTheLayer(t *testing.T) {
	for name, prepare := range map[string]func(env){
		"Kept": func(env) {},
		"Deleted": func(e env) {
			if _, err := e.Lambda.DeleteLayerVersion(e.Context(), &lambda.DeleteLayerVersionInput{LayerName: ptr.To("base"), VersionNumber: ptr.To[int64](1)}); err != nil {
				e.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			p := testPermission(func(p *v1beta1.LayerVersionPermission) {
				p.Spec.ForProvider.LayerName, p.Spec.ForProvider.VersionNumber = nil, nil
				p.Spec.ForProvider.LayerVersionArn = ptr.To(layerArn + ":1")
			})
			e.Reconcile(p)
			e.Advance(time.Minute)
			prepare(e)
			p.Spec.ForProvider.LayerVersionArn = ptr.To(layerArn + ":2")
			e.Reconcile(p)
			if got := e.Double.Policy(layerArn + ":1"); got != "" {
				t.Errorf("left behind: %s", got)
			}
			if got := e.Double.Policy(
				layerArn + ":2",
			); !strings.Contains(got, "partner") ||
				meta.GetExternalName(p) != "base:2:partner" {
				t.Errorf("named %s, the policy is %s", meta.GetExternalName(p), got)
			}
			if diff := cmp.Diff([]string{opRead}, e.Reconcile(p)); diff != "" {
				t.Errorf("it stays so: -want, +got:\n%s", diff)
			}

			// The reference cannot be resolved any more.
			p.Spec.ForProvider.LayerVersionArn, p.DeletionTimestamp = nil, ptr.To(metav1.Now())
			e.Reconcile(p)
			if got := e.Double.Policy(layerArn + ":2"); got != "" {
				t.Errorf("a deleted permission is gone, got %s", got)
			}
		})
	}
}

func TestDrift(t *testing.T) {
	e := newEnv(t)
	const others = `{"Sid":"other","Effect":"Allow","Principal":"*","Action":"lambda:GetLayerVersion","Resource":"` + layerArn + `:1"}`
	put := func(statements string) {
		if !e.Double.PutPolicy(layerArn+":1", `{"Version":"2012-10-17","Id":"default","Statement":[`+statements+`]}`) {
			t.Fatal("the policy can't be put")
		}
	}
	put(others)
	p := testPermission()
	e.Reconcile(p)
	for name, own := range map[string]string{
		"Principal": strings.Replace(others, "other", "partner", 1),
		"Denied":    strings.Replace(strings.Replace(others, "other", "partner", 1), "Allow", "Deny", 1),
		"Condition": strings.Replace(others, `{"Sid":"other"`, `{"Sid":"partner","Condition":{"StringEquals":{"aws:SourceAccount":"1"}}`, 1),
	} {
		put(others + "," + own)
		e.Reconcile(p)
		got := e.Double.Policy(layerArn + ":1")
		if !strings.Contains(got, "111122223333") || !strings.Contains(got, "other") || strings.Contains(got, "Deny") ||
			strings.Contains(got, "Condition") {
			t.Errorf("%s: the policy is %s", name, got)
		}
	}
}

func TestForeignAndLost(t *testing.T) {
	e := newEnv(t)
	p := testPermission()
	e.Lose(p, opAdd)
	e.Advance(time.Second)
	if _, _, err := e.Attempt(
		testPermission(func(q *v1beta1.LayerVersionPermission) { q.UID = "u2" }),
	); err == nil ||
		err.Error() != isForeign {
		t.Errorf("another resource: %v", err)
	}
	e.Reconcile(p)
	if meta.GetExternalName(p) != "base:1:partner" {
		t.Errorf("named %q", meta.GetExternalName(p))
	}
}

// TestLayerOfAnotherAccount checks that no permission is added to this account's layer if
// spec names another account's layer of the same name.
func TestLayerOfAnotherAccount(t *testing.T) {
	e := newEnv(t)
	_, err := e.Step(testPermission(byArn(strings.Replace(layerArn, "123456789012", "999999999999", 1) + ":1")))
	if !awserr.IsAccessDenied(err) || e.Double.Policy(layerArn+":1") != "" {
		t.Errorf("%v; the policy is %s", err, e.Double.Policy(layerArn+":1"))
	}
}

// TestSharedReads checks that many permissions of a version share one call.
func TestSharedReads(t *testing.T) {
	e := newEnv(t)
	var all []*v1beta1.LayerVersionPermission
	for i := range 10 {
		p := testPermission(func(p *v1beta1.LayerVersionPermission) { p.Name = fmt.Sprintf("p%d", i) })
		e.Reconcile(p)
		all = append(all, p)
	}
	e.Advance(time.Hour)
	e.Age = time.Minute
	e.Share(all, opRead)
}

// TestRandomSpecs checks that random specs are created without drift, and that random
// changes of them converge.
func TestRandomSpecs(t *testing.T) {
	e := newEnv(t)
	g := rand.New(rand.NewPCG(11, 12)) //nolint:gosec // Tests are reproducible.
	random := func(p *v1beta1.LayerVersionPermission) {
		fp := &p.Spec.ForProvider
		fp.Principal, fp.OrganizationID, fp.Action = ptr.To(
			[]string{"111122223333", "arn:aws:iam::111122223333:root", "444455556666", "*"}[g.IntN(4)],
		), nil, nil
		if *fp.Principal == "*" && g.IntN(2) == 0 {
			fp.OrganizationID = ptr.To([]string{"o-a1b2c3d4e5", "o-0123456789"}[g.IntN(2)])
		}
		if g.IntN(2) == 0 {
			fp.Action = ptr.To(action)
		}
		fp.VersionNumber = ptr.To(1 + g.Int64N(2))
	}
	for i := range 80 {
		p := testPermission(random, func(p *v1beta1.LayerVersionPermission) { p.Name = fmt.Sprintf("p%d", i) })
		if diff := cmp.Diff([]string{opRead, opAdd, opRead}, e.Reconcile(p)); diff != "" {
			t.Fatalf("%+v: -want, +got:\n%s", p.Spec.ForProvider, diff)
		}
		random(p)
		e.Reconcile(p)
		if diff := cmp.Diff([]string{opRead}, e.Reconcile(p)); diff != "" {
			t.Fatalf("%+v: -want, +got:\n%s", p.Spec.ForProvider, diff)
		}
		e.Remove(p)
		e.Reconcile(p)
	}
	for _, version := range []string{":1", ":2"} {
		if got := e.Double.Policy(layerArn + version); got != "" {
			t.Errorf("left of %s: %s", version, got)
		}
	}
}
