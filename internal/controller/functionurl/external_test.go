package functionurl

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// has returns a function that creates URLs of the function cart in AWS.
func has(urls ...lambda.CreateFunctionUrlConfigInput) func(env) {
	return func(e env) {
		for _, in := range urls {
			in.FunctionName = ptr.To(functionconfigtest.Function)
			_, err := e.Lambda.CreateFunctionUrlConfig(e.Context(), &in)
			e.Must(err)
		}
		e.Double.ResetCalls()
	}
}

// newURL returns a URL of the function cart with IAM authentication.
func newURL(edit ...func(*v1beta1.FunctionURL)) *v1beta1.FunctionURL {
	u := &v1beta1.FunctionURL{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u1", Generation: 2}}
	u.Spec.ForProvider.FunctionName, u.Spec.ForProvider.AuthType = ptr.To("cart"), ptr.To("AWS_IAM")
	return testenv.Build(u, edit...)
}

var named = testenv.Named[*v1beta1.FunctionURL]("cart")

func TestObserve(t *testing.T) {
	type (
		observation = testenv.Observation
		mg          = *v1beta1.FunctionURL
	)
	inOrder := observation{Exists: true, UpToDate: true, Ready: xpv2.ReasonAvailable, Reserved: testenv.None}
	ours := lambda.CreateFunctionUrlConfigInput{AuthType: types.FunctionUrlAuthTypeAwsIam}
	live := lambda.CreateFunctionUrlConfigInput{AuthType: types.FunctionUrlAuthTypeAwsIam, Qualifier: ptr.To("live")}
	open := lambda.CreateFunctionUrlConfigInput{AuthType: types.FunctionUrlAuthTypeNone}
	testenv.Observe(t, newEnv, map[string]testenv.ObserveCase[env, mg]{
		"Absent": {
			Reason:   "A URL that does not exist is created.",
			Resource: newURL(),
			Want:     observation{Ready: xpv2.ReasonCreating, Reserved: []string{opCreate}},
		},
		"OfAlias": {
			Reason:   "The URL of an alias does not count as that of the function.",
			Resource: newURL(),
			AWS:      has(live),
			Want:     observation{Ready: xpv2.ReasonCreating, Reserved: []string{opCreate}},
		},
		"NoFunction": {
			Reason:   "A function that is not there has none.",
			Resource: newURL(),
			AWS:      func(e env) { e.Refuse(opGet, 400, "ResourceNotFoundException", "boom") },
			Want:     observation{Ready: xpv2.ReasonCreating, Reserved: []string{opCreate}},
		},
		"Denied": {
			Reason:   "AWS's error is returned.",
			Resource: newURL(),
			AWS:      func(e env) { e.Refuse(opGet, 400, "AccessDeniedException", "boom") },
			Want:     observation{Err: "cannot get the URL of function cart", Reserved: testenv.None},
		},
		"InOrder": {Reason: "Nothing is due.", Resource: newURL(named), AWS: has(live, ours), Want: inOrder},
		"Drifted": {
			Reason:   "A manual change is corrected.",
			Resource: newURL(named),
			AWS:      has(open),
			Want:     observation{Exists: true, Ready: "Updating", Reserved: []string{opUpdate}},
		},
		"Foreign": {
			Reason:   "What someone else made stays as it is.",
			Resource: newURL(),
			AWS:      has(ours),
			Want: observation{
				Ready:    xpv2.ReasonUnavailable,
				Err:      `the URL of function cart exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "cart"`,
				Reserved: testenv.None,
			},
		},
		"LostAnswer": {
			Reason:   "The result of an unanswered create is owned.",
			Resource: newURL(testenv.Pending),
			AWS:      has(ours),
			Want:     inOrder,
		},
		"LostToOther": {
			Reason:   "A URL that differs from the requested one is not the result of the create.",
			Resource: newURL(testenv.Pending),
			AWS:      has(open),
			Want: observation{
				Ready:    xpv2.ReasonUnavailable,
				Err:      "was not created by this resource",
				Reserved: testenv.None,
			},
		},
		"Imported": {
			Reason: "The user has imported it by its name.",
			Resource: newURL(func(u mg) {
				u.Spec.ForProvider.Qualifier = ptr.To("live")
				meta.SetExternalName(u, "cart:live")
			}),
			AWS:  has(live),
			Want: inOrder,
		},
		"Moved": {
			Reason:   "What was made for one function would be left behind.",
			Resource: newURL(named, func(u mg) { u.Spec.ForProvider.FunctionName = ptr.To("basket") }),
			AWS:      has(ours),
			Want:     observation{Err: `which would leave "cart" behind`, Reserved: testenv.None},
		},
		"ObserveOnly": {
			Reason: "Whatever is there is shown.",
			Resource: newURL(func(u mg) {
				testenv.ObserveOnly(u)
				u.Spec.ForProvider = v1beta1.FunctionURLParameters{}
				meta.SetExternalName(u, "cart")
			}),
			AWS:  has(ours),
			Want: inOrder,
		},
		"Deleted": {
			Reason:   "A resource that is being deleted deletes its URL.",
			Resource: newURL(named, testenv.BeingDeleted),
			AWS:      has(ours),
			Want:     observation{Exists: true, Reserved: []string{opDelete}},
		},
		"DeletedNoURL": {
			Reason: "The deletion needs no more than the name.", Resource: newURL(named, testenv.BeingDeleted),
			AWS: func(e env) {
				has(ours)(e)
				e.Responses = testenv.Answers{opGet: testenv.Without("FunctionUrl")}
			},
			Want: observation{Exists: true, Reserved: []string{opDelete}},
		},
		"DeletedForeign": {
			Reason:   "A foreign URL is not deleted.",
			Resource: newURL(testenv.BeingDeleted),
			AWS:      has(open),
			Want:     observation{Reserved: testenv.None},
		},
		"DeletedCopy": {
			Reason: "A copy of another resource's manifest, for another alias, does not delete that resource's URL.",
			Resource: newURL(testenv.Imported[mg]("cart:live"), testenv.BeingDeleted, func(u mg) {
				meta.AddAnnotations(
					u,
					map[string]string{v1beta1.AnnotationNamedBy: "u0/cart:live", v1beta1.AnnotationParent: "cart:live"},
				)
				u.Spec.ForProvider.Qualifier = ptr.To("canary")
			}),
			AWS: has(live), Want: observation{Calls: testenv.None, Reserved: testenv.None},
		},
		"DeletedGone": {
			Reason:   "The URL no longer exists, so the deletion is done.",
			Resource: newURL(named, testenv.BeingDeleted),
			Want:     observation{Reserved: testenv.None},
		},
		"DeletedUnmade": {
			Reason:   "Nothing was created, so AWS is not called.",
			Resource: newURL(testenv.BeingDeleted),
			Want:     observation{Calls: testenv.None, Reserved: testenv.None},
		},
	})
}

func TestCallsThatFail(t *testing.T) {
	e := newEnv(t)
	has(lambda.CreateFunctionUrlConfigInput{AuthType: types.FunctionUrlAuthTypeNone})(e)
	testenv.CallsFail(
		e.Env,
		newExternal(e.Lambda),
		newURL(named),
		"cannot create the URL of function cart",
		"cannot update the URL of function cart",
		"cannot delete the URL of function cart",
		opCreate,
		opUpdate,
		opDelete,
	)
}

func TestReferences(t *testing.T) {
	u := newURL()
	u.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "fn"}
	u.Spec.ForProvider.QualifierSelector = &xpv2.NamespacedSelector{MatchLabels: map[string]string{"a": "b"}}
	got := reconcile.References(u)
	if len(got) != 2 || got[0].Field != "functionName" || got[0].Ref.Name != "fn" || got[1].Field != "qualifier" ||
		got[1].To.Kind != "Alias" ||
		got[1].Selector == nil {
		t.Errorf("got %+v, want both references", got)
	}
}
