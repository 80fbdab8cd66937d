package layerversion

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/fluxtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func arn(n int) string {
	return fmt.Sprintf("arn:aws:lambda:eu-central-1:123456789012:layer:l:%d", n)
}

type env struct {
	*testenv.Env[*v1beta1.LayerVersion]

	objects testenv.Objects
	usages  *usages

	// source is the source of content, if there is one, and code the config's policy.
	source *fluxtest.Source
	code   v1beta1.CodePolicy

	// named are the external names that other LayerVersions have written.
	named map[string]string

	// tenants knows what other LayerVersions own, nil if there are none.
	tenants *tenancy.Registry
}

func newEnv(t testing.TB) *env {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{})
	e := &env{objects: testenv.Objects{}, usages: newUsages()}
	storage := s3.NewFromConfig(w.Double.Config(testenv.Region), func(o *s3.Options) { o.UsePathStyle = true })
	e.Env = testenv.Observing(w, func() reconcile.Observer[*v1beta1.LayerVersion] {
		th := &external{
			api:     w.Lambda,
			usages:  e.usages,
			bundles: archive.Finder{Objects: e.objects, S3: storage, Code: e.code},
		}
		if e.source != nil {
			th.bundles.Fields, th.bundles.Store = e.source, e.source.Store
		}
		return reconcile.ObserverFunc[*v1beta1.LayerVersion](
			func(ctx context.Context, f reconcile.Facts, l *v1beta1.LayerVersion) (reconcile.Outcome, error) {
				none := func() []tenancy.Target { return nil }
				f.Others = &reconcile.Others{
					Registry: e.tenants,
					User: tenancy.User{Resource: l, Session: &session.Session{
						AWS: w.Double.Config(testenv.Region), Identity: session.Identity{Account: "123456789012"},
					}},
					Owns: none, Claims: none, OtherNames: func(context.Context) map[string]string { return e.named },
					OtherOwner: func(_ context.Context, _, _ string) resource.ModernManaged { return nil },
				}
				return th.resource().Observe(ctx, f, l)
			})
	})
	return e
}

// versions returns the versions of the layer in AWS, oldest first.
func (e *env) versions() []int64 {
	e.Helper()
	out, err := e.Lambda.ListLayerVersions(e.Context(), &lambda.ListLayerVersionsInput{LayerName: ptr.To("l")})
	if err != nil {
		e.Fatal(err)
	}
	var numbers []int64
	for i := range out.LayerVersions {
		numbers = append(numbers, out.LayerVersions[i].Version)
	}
	slices.Sort(numbers)
	return numbers
}

// others publishes a version as another user does.
func (e *env) others(files map[string][]byte) int64 {
	e.Helper()
	out, err := e.Lambda.PublishLayerVersion(e.Context(), &lambda.PublishLayerVersionInput{
		LayerName: ptr.To("l"), Content: &types.LayerVersionContentInput{ZipFile: e.zip(files)},
	})
	e.Must(err)
	return out.Version
}

func (e *env) zip(files map[string][]byte) []byte {
	e.Helper()
	b, err := archive.Zip(files)
	e.Must(err)
	return b
}

// deletes deletes a version as another user does.
func (e *env) deletes(n int64) error {
	e.Helper()
	_, err := e.Lambda.DeleteLayerVersion(
		e.Context(), &lambda.DeleteLayerVersionInput{LayerName: ptr.To("l"), VersionNumber: ptr.To(n)},
	)
	return err
}

func (e *env) wantVersions(reason string, want ...int64) {
	e.Helper()
	if diff := cmp.Diff(want, e.versions()); diff != "" {
		e.Errorf("%s: versions: -want, +got:\n%s", reason, diff)
	}
}

func testLayer(change ...func(*v1beta1.LayerVersionParameters)) *v1beta1.LayerVersion {
	l := &v1beta1.LayerVersion{
		ObjectMeta: metav1.ObjectMeta{Name: "l", Namespace: "ns", UID: "uid-1", Generation: 1},
		Spec: v1beta1.LayerVersionSpec{
			ManagedResourceSpec: testenv.Spec(),
			ForProvider: v1beta1.LayerVersionParameters{
				Regional:    v1beta1.Regional{Region: testenv.Region},
				Content:     inline("one"),
				OldVersions: ptr.To(v1beta1.OldVersionsDelete),
			},
		},
	}
	for _, f := range change {
		f(&l.Spec.ForProvider)
	}
	return l
}

func inline(text string) *v1beta1.LayerContent {
	return &v1beta1.LayerContent{Inline: map[string]string{"python/m.py": text}}
}

func edit(l *v1beta1.LayerVersion, change func(*v1beta1.LayerVersionParameters)) {
	change(&l.Spec.ForProvider)
	l.Generation++
}

func TestLifecycle(t *testing.T) {
	e := newEnv(t)
	e.others(map[string][]byte{"theirs": nil})
	l := testLayer(func(p *v1beta1.LayerVersionParameters) {
		p.CompatibleRuntimes, p.LicenseInfo = []string{"python3.13"}, ptr.To("MIT")
	})
	if diff := cmp.Diff([]string{opPublish}, e.Converge(l)); diff != "" || meta.GetExternalName(l) != arn(2) {
		t.Errorf("a layer is published once, as %s: -want, +got:\n%s", meta.GetExternalName(l), diff)
	}
	if s := l.Status.AtProvider; ptr.Deref(s.Version, 0) != 2 || ptr.Deref(s.LayerVersionArn, "") != arn(2) ||
		s.CodeSHA256 == nil ||
		ptr.Deref(s.LicenseInfo, "") != "MIT" {
		t.Errorf("status %+v", s)
	}
	if diff := cmp.Diff([]string{opGet}, e.Poll(l)); diff != "" {
		t.Errorf("a steady layer is one call: -want, +got:\n%s", diff)
	}

	edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline("two") })
	if diff := cmp.Diff([]string{opPublish, opDelete}, e.Converge(l)); diff != "" || meta.GetExternalName(l) != arn(3) {
		t.Errorf(
			"another content is another version, %s, and the old one goes: -want, +got:\n%s",
			meta.GetExternalName(l),
			diff,
		)
	}
	e.wantVersions("The others' version stays", 1, 3)
	edit(l, func(p *v1beta1.LayerVersionParameters) { p.CompatibleRuntimes = []string{"python3.12", "python3.13"} })
	e.Converge(l)
	e.wantVersions("So is another setting", 1, 4)
	edit(l, func(p *v1beta1.LayerVersionParameters) { p.CompatibleRuntimes = []string{"python3.13", "python3.12"} })
	if got := testenv.Writes(e.Poll(l)); len(got) != 0 {
		t.Errorf("another order is no other setting: %v", got)
	}
	e.Remove(l)
	if diff := cmp.Diff([]string{opDelete}, e.Converge(l)); diff != "" {
		t.Errorf("only itself is deleted: -want, +got:\n%s", diff)
	}
	e.wantVersions("Never all versions", 1)
}

func TestOldVersionsAreKept(t *testing.T) {
	e := newEnv(t)
	l := testLayer(func(p *v1beta1.LayerVersionParameters) { p.OldVersions = nil })
	for _, text := range []string{"one", "two", "three"} {
		edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline(text) })
		e.Converge(l)
	}
	e.wantVersions("All stay", 1, 2, 3)
	if diff := cmp.Diff([]int64{1, 2}, l.Status.AtProvider.OldVersions); diff != "" {
		t.Errorf("old versions: -want, +got:\n%s", diff)
	}
	kept := l.DeepCopy()
	edit(l, func(p *v1beta1.LayerVersionParameters) { p.OldVersions = ptr.To(v1beta1.OldVersionsDelete) })
	if diff := cmp.Diff([]string{opDelete, opDelete}, e.Converge(l)); diff != "" {
		t.Errorf("once they are not to be kept, they go: -want, +got:\n%s", diff)
	}
	e.wantVersions("The newest stays", 3)
	e.Remove(kept)
	e.Converge(kept)
	if len(e.versions()) != 0 {
		t.Errorf("the newest goes with its resource, got %v", e.versions())
	}
}

// TestOldVersionsWithoutStatus checks that a version that is replaced at once is an old version, although status was
// not written after its replacement was published.
func TestOldVersionsWithoutStatus(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	e.Converge(l)
	var before *v1beta1.LayerVersionStatus
	for _, text := range []string{"two", "three"} {
		e.Advance(time.Minute)
		before = l.Status.DeepCopy()
		edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline(text) })
		if _, err := e.Step(l); err != nil {
			t.Fatal(err)
		}
	}
	l.Status = *before
	e.Converge(l)
	e.wantVersions("What was replaced goes", 3)
}

func TestARemovedLayerTakesItsOldVersionsAlong(t *testing.T) {
	e := newEnv(t)
	l := testLayer(func(p *v1beta1.LayerVersionParameters) { p.OldVersions = ptr.To(v1beta1.OldVersionsKeep) })
	e.Converge(l)
	edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline("two") })
	e.Converge(l)
	edit(l, func(p *v1beta1.LayerVersionParameters) { p.OldVersions = ptr.To(v1beta1.OldVersionsDelete) })
	e.Must(e.deletes(2))
	e.Advance(time.Minute)
	e.Remove(l)
	e.Converge(l)
	if got := e.versions(); len(got) != 0 {
		t.Errorf("none is left behind, even if the newest is gone already: %v", got)
	}
}

// TestOldVersionsAreThoseOfTheirLayer checks that a LayerVersion whose annotations were changed to name another layer
// does not delete that layer's versions with the numbers of its own old ones.
func TestOldVersionsAreThoseOfTheirLayer(t *testing.T) {
	for name, number := range map[string]string{"Gone": "9", "There": "2"} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			l := testLayer(func(p *v1beta1.LayerVersionParameters) { p.OldVersions = ptr.To(v1beta1.OldVersionsKeep) })
			e.Converge(l)
			edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline("two") })
			e.Converge(l)
			for range 2 {
				_, err := e.Lambda.PublishLayerVersion(e.Context(), &lambda.PublishLayerVersionInput{
					LayerName: ptr.To("other"),
					Content:   &types.LayerVersionContentInput{ZipFile: e.zip(map[string][]byte{"theirs": nil})},
				})
				e.Must(err)
			}
			edit(l, func(p *v1beta1.LayerVersionParameters) { p.OldVersions = ptr.To(v1beta1.OldVersionsDelete) })
			l.Annotations = nil
			meta.SetExternalName(l, "arn:aws:lambda:eu-central-1:123456789012:layer:other:"+number)
			e.Remove(l)
			e.Converge(l)
			if _, err := e.Lambda.GetLayerVersion(e.Context(), &lambda.GetLayerVersionInput{
				LayerName: ptr.To("other"), VersionNumber: ptr.To[int64](1),
			}); err != nil {
				t.Errorf("version 1 of the other layer is to stay: %v", err)
			}
		})
	}
}

// TestOldVersionsOfAnotherLayer checks that a LayerVersion that observed another layer, or managed it, does not delete
// versions of its layer with the numbers of those that it had there.
func TestOldVersionsOfAnotherLayer(t *testing.T) {
	const other = "arn:aws:lambda:eu-central-1:123456789012:layer:other:"
	for name, first := range map[string]string{"Observed": other + "1", "Published": ""} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			l := testLayer(func(p *v1beta1.LayerVersionParameters) { p.LayerName = ptr.To("other") })
			if first != "" {
				e.Converge(testLayer(func(p *v1beta1.LayerVersionParameters) { p.LayerName = ptr.To("other") }))
				l = testenv.Build(testLayer(), testenv.ObserveOnly, testenv.Imported[*v1beta1.LayerVersion](first))
			}
			e.Converge(l)
			e.others(map[string][]byte{"theirs": []byte("one")})
			e.others(map[string][]byte{"theirs": []byte("two")})
			l.Annotations = nil
			edit(l, func(p *v1beta1.LayerVersionParameters) {
				l.Spec.ManagementPolicies, p.LayerName = nil, nil
			})
			e.Converge(l)
			edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline("three") })
			e.Converge(l)
			e.wantVersions("What others have published stays", 1, 2, 4)
		})
	}
}

// TestOldVersionsOfOthers checks that a LayerVersion does not delete a version that another one owns, even if its own
// status, which may be forged, has it among the old versions.
func TestOldVersionsOfOthers(t *testing.T) {
	for name, removed := range map[string]bool{"There": false, "Removed": true} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			owner := testLayer()
			owner.Namespace, owner.UID = "shop", "uid-2"
			e.Converge(owner)
			s := runtime.NewScheme()
			e.Must(v1beta1.AddToScheme(s))
			c := fake.NewClientBuilder().WithScheme(s).WithObjects(owner).
				WithIndex(&v1beta1.LayerVersion{}, tenancy.Index, tenancy.IndexedBy).Build()
			e.tenants = tenancy.New(c, c, time.Now)
			l := testLayer()
			e.Converge(l)
			l.Status.AtProvider.OldVersions = []int64{1}
			if removed {
				e.Remove(l)
			}
			e.Converge(l)
			if !slices.Contains(e.versions(), 1) {
				t.Errorf("the other LayerVersion's version is deleted, AWS has %v", e.versions())
			}
		})
	}
}

// TestAnObservedVersionIsNoOldVersion checks that a version that a LayerVersion only observed is not deleted once it
// manages another one: others have published it.
func TestAnObservedVersionIsNoOldVersion(t *testing.T) {
	e := newEnv(t)
	e.others(map[string][]byte{"theirs": []byte("one")})
	e.others(map[string][]byte{"theirs": []byte("two")})
	l := testenv.Build(testLayer(), testenv.ObserveOnly, testenv.Imported[*v1beta1.LayerVersion](arn(1)))
	e.Converge(l)
	meta.SetExternalName(l, arn(2))
	e.Converge(l)
	edit(l, func(*v1beta1.LayerVersionParameters) { l.Spec.ManagementPolicies = nil })
	e.Converge(l)
	e.wantVersions("What others have published stays", 1, 2, 3)
}

// TestALostPublicationIsFoundAgain checks that a lost answer leads neither to an orphaned
// nor to a duplicate version, for the first version and for later ones. A proxy may answer in place of AWS.
func TestALostPublicationIsFoundAgain(t *testing.T) {
	for name, lost := range map[string]awsdouble.Fault{
		"Answered": {Drop: awsdouble.DropAfter}, "NotEvenSent": {Drop: awsdouble.DropBefore},
		"NotFound": {Answer: testenv.Refusal(http.StatusNotFound, "ResourceNotFoundException")},
	} {
		t.Run(name, func(t *testing.T) {
			lost.Operation, lost.Times = opPublish, 1
			e := newEnv(t)
			e.others(map[string][]byte{"python/m.py": []byte("one")})
			l := testLayer()
			want := int64(1)
			for _, text := range []string{"one", "two"} {
				want++
				edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline(text) })
				e.Double.Fail(lost)
				if _, err := e.Step(l); err == nil {
					t.Fatal("the answer must be lost")
				}
				e.others(map[string][]byte{"other": []byte(text)})
				e.Converge(l)
				if lost.Drop == awsdouble.DropBefore {
					want++ // The other user published first.
				}
				if got := meta.GetExternalName(l); got != arn(int(want)) {
					t.Errorf("%s: want version %d, got %s", text, want, got)
				}
				if lost.Drop != awsdouble.DropBefore {
					want++
				}
			}
			if got := e.versions(); len(got) != 4 {
				t.Errorf("three of others and one of ours: %v", got)
			}
			if diff := cmp.Diff([]string{opGet}, e.Poll(l)); diff != "" {
				t.Errorf("nothing is searched for any more: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestALostPublicationIsNotThatOfAnotherResource checks that a resource whose publication was not sent does not take
// the version with the same content that another resource has published to the layer meanwhile.
func TestALostPublicationIsNotThatOfAnotherResource(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	e.Double.Fail(awsdouble.Fault{Operation: opPublish, Drop: awsdouble.DropBefore})
	if _, err := e.Step(l); err == nil {
		t.Fatal("the answer must be lost")
	}
	e.others(map[string][]byte{"python/m.py": []byte("one")})
	e.named = map[string]string{arn(1): "ns"}
	e.Converge(l)
	if got := meta.GetExternalName(l); got != arn(2) {
		t.Errorf("want version 2, got %s", got)
	}
	e.Remove(l)
	e.Converge(l)
	e.wantVersions("The other resource's version stays", 1)
}

// TestALostPublicationThatIsNotFound checks that a version that AWS lists is looked at again if AWS then does not find
// it: another publication would leave it.
func TestALostPublicationThatIsNotFound(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	e.Lose(l, opPublish)
	e.Advance(time.Minute)
	e.Double.Fail(awsdouble.Fault{
		Operation: opGet, Times: 1, Answer: testenv.Refusal(http.StatusNotFound, "ResourceNotFoundException"),
	})
	if _, err := e.Step(l); err == nil {
		t.Error("it is not known whether the version exists")
	}
	e.Converge(l)
	e.wantVersions("It is found again", 1)
}

// TestALostPublicationIsReplaced checks that a version that was published before spec
// changed again also belongs to the resource.
func TestALostPublicationIsReplaced(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	e.Lose(l, opPublish)
	edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline("two") })
	e.Converge(l)
	e.wantVersions("The first is replaced like any other", 2)

	edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline("three") })
	e.Lose(l, opPublish)
	e.Advance(time.Minute)
	e.Remove(l)
	e.Converge(l)
	if got := e.versions(); len(got) != 0 {
		t.Errorf("what was lost goes along with its resource: %v", got)
	}
}

func TestAPublicationThatIsRefused(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	e.Converge(l)
	e.Double.Fail(awsdouble.Fault{Operation: opPublish, Error: awsdouble.ServiceFailure()})
	edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline("two") })
	if _, err := e.Step(l); err == nil {
		t.Fatal("AWS's error must be told")
	}
	edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline("one") })
	e.Converge(l)
	if diff := cmp.Diff([]string{opGet}, e.Poll(l)); diff != "" {
		t.Errorf("nothing is searched for any more: -want, +got:\n%s", diff)
	}
	e.wantVersions("Nothing was published", 1)
}

// TestManyOldVersions checks that many versions are deleted one after the other, without a wait.
func TestManyOldVersions(t *testing.T) {
	e := newEnv(t)
	l := testLayer(func(p *v1beta1.LayerVersionParameters) { p.OldVersions = ptr.To(v1beta1.OldVersionsKeep) })
	const many = 8
	for i := range many {
		edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline(fmt.Sprint(i)) })
		e.Converge(l)
	}
	edit(l, func(p *v1beta1.LayerVersionParameters) { p.OldVersions = ptr.To(v1beta1.OldVersionsDelete) })
	e.Want(l, "All are deleted at once",
		append(slices.Repeat([]testenv.Outcome{testenv.Updated}, many-1), testenv.Converged)...)
	e.wantVersions("One is left", many)
}

func TestContentOfS3(t *testing.T) {
	e := newEnv(t)
	put := func(text string) {
		b, err := archive.Zip(map[string][]byte{"m": []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		e.Double.PutObject("code", "layer.zip", b)
	}
	put("one")
	l := testLayer(func(p *v1beta1.LayerVersionParameters) {
		p.Content = &v1beta1.LayerContent{
			S3Bucket:            ptr.To("code"),
			S3Key:               ptr.To("layer.zip"),
			S3ObjectStorageMode: ptr.To("COPY"),
		}
	})
	e.Converge(l)
	if diff := cmp.Diff([]string{opGet, "HeadObject"}, e.Poll(l)); diff != "" {
		t.Errorf("a steady layer is one call to Lambda and one to S3: -want, +got:\n%s", diff)
	}
	put("two")
	if diff := cmp.Diff([]string{opPublish, opDelete}, e.Converge(l)); diff != "" {
		t.Errorf("a replaced object is published: -want, +got:\n%s", diff)
	}
	put("three")
	e.Lose(l, opPublish)
	if diff := cmp.Diff([]string{opDelete}, e.Converge(l)); diff != "" {
		t.Errorf("what was lost is found, though its hash was not known: -want, +got:\n%s", diff)
	}
	e.wantVersions("One is left", 3)
	put("four")
	before := l.Status.DeepCopy()
	_, err := e.Step(l)
	e.Must(err)
	l.Status = *before
	if diff := cmp.Diff([]string{opDelete}, e.Converge(l)); diff != "" {
		t.Errorf("what was published is known, though status was not written: -want, +got:\n%s", diff)
	}
	e.wantVersions("One is left", 4)
}

// TestContentThatLambdaDoesNotCopy checks that another storage mode is another version, once.
func TestContentThatLambdaDoesNotCopy(t *testing.T) {
	e := newEnv(t)
	b, err := archive.Zip(map[string][]byte{"m": []byte("one")})
	if err != nil {
		t.Fatal(err)
	}
	e.Double.CreateBucket("code", true)
	e.Double.PutObject("code", "layer.zip", b)
	l := testLayer(func(p *v1beta1.LayerVersionParameters) {
		p.Content = &v1beta1.LayerContent{S3Bucket: ptr.To("code"), S3Key: ptr.To("layer.zip")}
	})
	e.Converge(l)
	for _, mode := range []string{"COPY", "REFERENCE", "COPY"} {
		l.Spec.ForProvider.Content.S3ObjectStorageMode = ptr.To(mode)
		l.Generation++
		got := testenv.Writes(e.Converge(l))
		v, err := e.Lambda.GetLayerVersion(
			t.Context(),
			&lambda.GetLayerVersionInput{
				LayerName:     l.Status.AtProvider.LayerArn,
				VersionNumber: l.Status.AtProvider.Version,
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		if refers := v.Content.ResolvedS3Object != nil; refers != (mode == "REFERENCE") {
			t.Errorf("with mode %s, AWS refers to the object: %t; calls: %v", mode, refers, got)
		}
	}
	e.wantVersions("One is left", 3)
	l.Spec.ForProvider.Content.SHA256 = ptr.To(archive.Hash(b)) // Otherwise another object may be another content.
	e.Double.PutObject("code", "copied.zip", b)
	e.Double.PutObject("code", "moved.zip", b)
	for _, c := range []struct{ mode, key string }{{"COPY", "copied.zip"}, {"REFERENCE", "copied.zip"}, {"REFERENCE", "moved.zip"}} {
		l.Spec.ForProvider.Content.S3ObjectStorageMode, l.Spec.ForProvider.Content.S3Key = &c.mode, &c.key
		l.Generation++
		e.Converge(l)
	}
	e.wantVersions("A copy is the same from anywhere", 5)
	l.Spec.ForProvider.Content = &v1beta1.LayerContent{Inline: map[string]string{"m": "one"}}
	l.Generation++
	e.Converge(l)
	e.wantVersions("The object is no longer named, so that it may be deleted", 6)
}

func TestContentOfTheCluster(t *testing.T) {
	e := newEnv(t)
	ref := refs.ObjectRef{Kind: refs.ConfigMap, Namespace: "ns", Name: "files"}
	l := testLayer(func(p *v1beta1.LayerVersionParameters) {
		p.Content = &v1beta1.LayerContent{
			ConfigMapRef: &v1beta1.LayerConfigMap{Name: "files", FilePrefix: ptr.To("python/")},
		}
	})
	if _, err := e.Step(l); err == nil || !strings.Contains(err.Error(), "spec.forProvider.content.configMapRef") {
		t.Errorf("the field is named, got %v", err)
	}
	if diff := cmp.Diff([]refs.ObjectRef{ref}, objectRefs(l)); diff != "" {
		t.Errorf("a change of it wakes the layer: -want, +got:\n%s", diff)
	}
	e.objects[ref] = refs.ObjectData{"m.py": []byte("one")}
	e.Converge(l)
	same := testLayer()
	want, err := archive.Zip(
		map[string][]byte{"python/m.py": []byte(same.Spec.ForProvider.Content.Inline["python/m.py"])},
	)
	if err != nil || ptr.Deref(l.Status.AtProvider.CodeSHA256, "") != archive.Hash(want) {
		t.Errorf("the same files are the same archive: %v, %s", err, ptr.Deref(l.Status.AtProvider.CodeSHA256, ""))
	}
	e.objects[ref] = refs.ObjectData{"m.py": []byte("two")}
	if diff := cmp.Diff([]string{opPublish, opDelete}, e.Converge(l)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestImport(t *testing.T) {
	e := newEnv(t)
	e.others(map[string][]byte{"python/m.py": []byte("one")})
	l := testLayer()
	meta.SetExternalName(l, arn(1))
	if got := e.Converge(l); len(got) != 0 {
		t.Errorf("what is as wanted is taken over as it is: %v", got)
	}
	edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline("two") })
	e.Converge(l)
	e.wantVersions("What others have published is not deleted when it is replaced", 1, 2)
	e.Remove(l)
	e.Converge(l)
	e.wantVersions("Nor later", 1)

	for name, tc := range map[string]struct{ name, want string }{
		"NoARN":      {"l:1", "is not the ARN of a layer version"},
		"OtherLayer": {strings.Replace(arn(1), ":l:", ":other:", 1), "is a version of layer other"},

		"OtherAccount": {strings.Replace(arn(1), "123456789012", "210987654321", 1), "is " + arn(1)},
		"OtherRegion":  {strings.Replace(arn(1), "eu-central-1", "us-east-1", 1), "is " + arn(1)},
		"OtherService": {strings.Replace(arn(1), "lambda", "other", 1), "is " + arn(1)},
		"OtherNumber":  {strings.Replace(arn(1), ":l:1", ":l:+1", 1), "is " + arn(1)},
	} {
		t.Run(name, func(t *testing.T) {
			l := testLayer()
			meta.SetExternalName(l, tc.name)
			if _, err := e.Step(l); !reconcile.IsInvalid(err) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("want %q, got %v", tc.want, err)
			}
		})
	}
}

// TestImportWithoutStatus checks that a version that others have published is not deleted when it is replaced, although
// status was not written when it was imported.
func TestImportWithoutStatus(t *testing.T) {
	e := newEnv(t)
	e.others(map[string][]byte{"python/m.py": []byte("one")})
	l := testLayer()
	meta.SetExternalName(l, arn(1))
	if _, err := e.Step(l); err != nil {
		t.Fatal(err)
	}
	l.Status = v1beta1.LayerVersionStatus{}
	e.Converge(l)
	edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline("two") })
	e.Converge(l)
	e.wantVersions("What others have published is not deleted when it is replaced", 1, 2)
}

// TestAnARNOfAnotherAccountNamesNothing checks that a LayerVersion whose external name is the ARN of another account
// neither shows nor deletes the version with that number in its own account, which may be that of another namespace.
func TestAnARNOfAnotherAccountNamesNothing(t *testing.T) {
	e := newEnv(t)
	e.others(map[string][]byte{"python/m.py": []byte("one")})
	elsewhere := strings.Replace(arn(1), "123456789012", "210987654321", 1)
	l := testenv.Build(testLayer(), testenv.ObserveOnly, testenv.Imported[*v1beta1.LayerVersion](elsewhere))
	if got := e.Observe(l); got.Err == "" || l.Status.AtProvider.CodeSHA256 != nil {
		t.Errorf("got %+v, and status %+v", got, l.Status.AtProvider)
	}
	l = testLayer()
	meta.SetExternalName(l, elsewhere)
	e.Remove(l)
	e.Converge(l)
	e.wantVersions("It is not that of the external name", 1)
}

func TestAVersionThatIsDeletedByHandIsPublishedAnew(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	e.Converge(l)
	e.Must(e.deletes(1))
	for range 3 { // AWS may take a minute to list a version, and has to report its absence three times.
		e.Advance(time.Minute)
		e.Converge(l)
	}
	e.wantVersions("It is there again", 2)
	if !ownership.WroteName(l) || meta.GetExternalName(l) != arn(2) {
		t.Errorf("the external name is %s", meta.GetExternalName(l))
	}
}

// TestALostPublicationAfterADeletionByHandIsFoundAgain checks that the replacement of a version that was deleted in AWS
// is not published twice if the answer is lost, although AWS does not list the deleted version.
func TestALostPublicationAfterADeletionByHandIsFoundAgain(t *testing.T) {
	for name, imported := range map[string]bool{"Published": false, "Imported": true} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			l := testLayer()
			if imported {
				e.others(map[string][]byte{"python/m.py": []byte("one")})
				meta.SetExternalName(l, arn(1))
			}
			e.Converge(l)
			e.Must(e.deletes(1))
			e.Double.Fail(awsdouble.Fault{Operation: opPublish, Drop: awsdouble.DropAfter})
			lost := false
			for range 10 {
				e.Advance(time.Minute)
				_, err := e.Do(l)
				lost = lost || err != nil
			}
			if !lost {
				t.Fatal("the answer must be lost")
			}
			if got := e.Converge(l); len(got) != 0 {
				t.Errorf("what was lost is found, but these calls were made: %v", got)
			}
			e.wantVersions("It is published once", 2)
			if got := meta.GetExternalName(l); got != arn(2) {
				t.Errorf("the external name is %s", got)
			}
		})
	}
}

// TestRandomSpecsConverge checks that a random spec is converged by one publication, and so
// is each change.
func TestRandomSpecsConverge(t *testing.T) {
	for seed := range uint64(60) {
		g := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // The numbers need not be secret.
		e := newEnv(t)
		l := testLayer()
		random(g, &l.Spec.ForProvider)
		e.Converge(l)
		for range 4 {
			edit(l, func(p *v1beta1.LayerVersionParameters) { random(g, p) })
			if got := e.Converge(
				l,
			); len(
				slices.DeleteFunc(slices.Clone(got), func(c string) bool { return c != opPublish }),
			) > 1 {
				t.Fatalf("seed %d: a change is one version: %v", seed, got)
			}
			if got := testenv.Writes(e.Poll(l)); len(got) != 0 {
				t.Fatalf("seed %d: calls without a reason: %v", seed, got)
			}
		}
		if got := e.versions(); len(got) != 1 {
			t.Fatalf("seed %d: one version is left, got %v", seed, got)
		}
	}
}

func random(g *rand.Rand, p *v1beta1.LayerVersionParameters) {
	subset := func(of ...string) []string {
		g.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		return of[:g.IntN(len(of)+1)]
	}
	p.Content = inline(strings.Join(subset("x", "y", "z"), ""))
	p.CompatibleArchitectures = subset("x86_64", "arm64")
	p.CompatibleRuntimes = subset("python3.12", "python3.13", "nodejs22.x")
	p.Description, p.LicenseInfo = testenv.Some(g, "", "a", "b"), testenv.Some(g, "", "MIT")
}

// TestDifferencesOfAnObservedLayer checks that a version that is only observed differs by
// its content if that is known.
func TestDifferencesOfAnObservedLayer(t *testing.T) {
	cases := map[string]struct {
		reason string
		object string
		denied bool
		want   bool
	}{
		"Same":       {reason: "What others have published is the object.", object: "one"},
		"Other":      {reason: "The object has other content.", object: "two", want: true},
		"Unreadable": {reason: "The content in S3 cannot be read.", object: "two", denied: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			files := func(text string) map[string][]byte { return map[string][]byte{"python/m.py": []byte(text)} }
			e.others(files("one"))
			b, err := archive.Zip(files(tc.object))
			e.Must(err)
			e.Double.PutObject("code", "layer.zip", b)
			if tc.denied {
				e.Double.Fail(
					awsdouble.Fault{
						Operation: "GetObject",
						Times:     -1,
						Error:     awsdouble.Error{Status: 403, Code: "AccessDenied", Message: "Access Denied"},
					},
				)
			}
			l := testLayer(func(p *v1beta1.LayerVersionParameters) {
				p.Content = &v1beta1.LayerContent{S3Bucket: ptr.To("code"), S3Key: ptr.To("layer.zip")}
			})
			l.Spec.ManagementPolicies = observeOnly()
			meta.SetExternalName(l, arn(1))
			done := engine.Observe(t.Context(), e.Observer(), reconcile.Facts{}, l)
			if done.Err != nil || done.Later != nil {
				t.Fatal(done.Err, done.Later)
			}
			if got := done.Differences.List; len(got) > 0 != tc.want {
				t.Errorf("%s\ngot %+v", tc.reason, got)
			}
		})
	}
}
