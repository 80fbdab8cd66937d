package invocation

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// fakeObjects has the values of Secrets and ConfigMaps, by kind/namespace/name/key.
type fakeObjects map[string]string

func (f fakeObjects) Get(_ context.Context, ref refs.ObjectRef) (refs.ObjectData, error) {
	data := refs.ObjectData{}
	for at, v := range f {
		if key, ok := strings.CutPrefix(at, ref.String()+"/"); ok {
			data[key] = []byte(v)
		}
	}
	return data, nil
}

// env has a function, and records its invocations.
type env struct {
	*testenv.Env[*v1beta1.Invocation]

	objects fakeObjects
	returns awsdouble.Returned
	runs    []string

	// saved is the annotation in the cluster, which remains after the provider has stopped.
	saved string

	// unwritable makes writes of annotations fail.
	unwritable bool

	// earlier has the results of all reconciles but the last one.
	earlier []engine.Done
}

func newEnv(t testing.TB) *env {
	t.Helper()
	e := &env{objects: fakeObjects{}}
	e.Env = testenv.Observing(testenv.NewAWS(t, awsdouble.Options{}), func() reconcile.Observer[*v1beta1.Invocation] {
		return &external{api: e.Lambda, objects: e.objects, now: e.Now}
	})
	e.Lambda = e.Retrying()
	e.Annotations = e
	e.NextFacts = func() reconcile.Facts {
		e.earlier = append(e.earlier, e.Done)
		return reconcile.Facts{}
	}
	e.function("f", 3)
	return e
}

// function adds a function that records its invocations.
func (e *env) function(name string, timeout int32) {
	e.Helper()
	e.AddFunction(name, func(in *lambda.CreateFunctionInput) { in.Timeout = &timeout })
	e.Double.OnInvoke(name, func(in awsdouble.Invoked) awsdouble.Returned {
		e.runs = append(e.runs, string(in.Payload))
		return e.returns
	})
}

// Annotate writes annotations, unless they are unwritable.
func (e *env) Annotate(ctx context.Context, obj client.Object, annotations map[string]string) error {
	if e.unwritable || ctx.Err() != nil {
		return errors.New("cannot write annotations")
	}
	meta.AddAnnotations(obj, annotations)
	e.saved = annotations[v1beta1.AnnotationLastInvocation]
	return nil
}

// AnnotateIfUnchanged writes annotations as Annotate does.
func (e *env) AnnotateIfUnchanged(ctx context.Context, obj client.Object, annotations map[string]string) error {
	return e.Annotate(ctx, obj, annotations)
}

// converge reconciles until nothing is due, and returns what the function was invoked with.
func (e *env) converge(i *v1beta1.Invocation) []string {
	e.Helper()
	before := len(e.runs)
	e.Outcomes(i)
	return e.runs[before:]
}

// newInvocation returns an Invocation of function f with a payload.
func newInvocation(change ...func(*v1beta1.InvocationParameters)) *v1beta1.Invocation {
	i := &v1beta1.Invocation{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:  "shop",
			Name:       "seed",
			UID:        "u1",
			Generation: 1,
			Finalizers: []string{"f"},
		},
		Spec: v1beta1.InvocationSpec{
			ForProvider: v1beta1.InvocationParameters{
				Regional:     v1beta1.Regional{Region: "eu-central-1"},
				FunctionName: ptr.To("f"),
				Payload:      ptr.To(`{"a":1}`),
			},
		},
	}
	for _, c := range change {
		c(&i.Spec.ForProvider)
	}
	return i
}

func crud(p *v1beta1.InvocationParameters) { p.LifecycleScope = ptr.To(scopeCRUD) }

// withoutStatus removes what a restored backup or a replaced manifest does not have.
func withoutStatus(i *v1beta1.Invocation) { i.Status = v1beta1.InvocationStatus{} }

func withoutAnnotations(i *v1beta1.Invocation) { i.SetAnnotations(nil) }

// events returns the events of all steps.
func (e *env) events() string {
	var b strings.Builder
	for _, d := range append(e.earlier, e.Done) {
		for _, ev := range d.Events {
			b.WriteString(string(ev.Reason) + ": " + ev.Message + "\n")
		}
	}
	return b.String()
}
