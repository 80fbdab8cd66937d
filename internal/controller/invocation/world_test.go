package invocation

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

var testNow = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// fakeObjects are the values of Secrets and ConfigMaps, by kind/namespace/name/key.
type fakeObjects map[string]string

func (f fakeObjects) Value(_ context.Context, ref objects.Ref, key string) ([]byte, error) {
	v, ok := f[ref.String()+"/"+key]
	if !ok {
		return nil, &objects.MissingError{Ref: ref, Key: key}
	}
	return []byte(v), nil
}

// world is a double with a function, and the invocations that it has seen.
type world struct {
	testing.TB

	double  *awsdouble.Server
	aws     *lambda.Client
	objects fakeObjects
	now     time.Time
	returns awsdouble.Returned
	runs    []string

	// saved is the annotation in the cluster, which a stopped provider leaves.
	saved string

	// unwritable has annotations refused.
	unwritable bool

	turn  *managed.Turn
	turns []*managed.Turn
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{TB: t, double: awsdouble.New(awsdouble.Options{}), objects: fakeObjects{}, now: testNow}
	w.double.Start()
	t.Cleanup(w.double.Close)
	w.aws = lambda.NewFromConfig(w.double.Config("eu-central-1"))
	w.function("f", 3)
	return w
}

// function of a name that notes what it is invoked with.
func (w *world) function(name string, timeout int32) {
	w.Helper()
	if _, err := w.aws.CreateFunction(w.Context(), &lambda.CreateFunctionInput{
		FunctionName: &name, Role: aws.String("arn:aws:iam::123456789012:role/r"), PackageType: types.PackageTypeImage, Timeout: &timeout,
		Code: &types.FunctionCode{ImageUri: aws.String("123456789012.dkr.ecr.eu-central-1.amazonaws.com/f:1")},
	}); err != nil {
		w.Fatal(err)
	}
	w.double.OnInvoke(name, func(in awsdouble.Invoked) awsdouble.Returned {
		w.runs = append(w.runs, string(in.Payload))
		return w.returns
	})
}

// step is one reconcile, as the runtime does it. It tells whether anything was done.
func (w *world) step(i *v1beta1.Invocation) (busy bool, err error) {
	w.Helper()
	w.turn = &managed.Turn{Annotator: w.annotate}
	w.turns = append(w.turns, w.turn)
	ctx := managed.WithTurn(w.Context(), w.turn)
	e := &external{api: w.aws, objects: w.objects, now: func() time.Time { return w.now }}
	o, err := e.Observe(ctx, i)
	_, held := w.turn.Held()
	switch {
	case err != nil || held:
		return held, err
	case i.GetDeletionTimestamp() != nil && o.ResourceExists:
		_, err = e.Delete(ctx, i)
		return true, err
	case i.GetDeletionTimestamp() != nil:
		i.SetFinalizers(nil)
		return false, nil
	case !o.ResourceExists:
		_, err = e.Create(ctx, i)
		return true, err
	case !o.ResourceUpToDate:
		_, err = e.Update(ctx, i)
		return true, err
	}
	return false, nil
}

func (w *world) annotate(ctx context.Context, obj client.Object, annotations map[string]string) error {
	if w.unwritable || ctx.Err() != nil {
		return errors.New("cannot write annotations")
	}
	all := maps.Clone(obj.GetAnnotations())
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, annotations)
	obj.SetAnnotations(all)
	w.saved = annotations[ownership.AnnotationRecord]
	return nil
}

// settle reconciles until there is nothing to do, and returns what the function saw.
func (w *world) settle(i *v1beta1.Invocation) []string {
	w.Helper()
	before := len(w.runs)
	for range 10 {
		busy, err := w.step(i)
		if err != nil {
			w.Fatalf("cannot reconcile: %v", err)
		}
		if !busy {
			return w.runs[before:]
		}
	}
	w.Fatalf("it does not settle: %+v", i.Status)
	return nil
}

// newInvocation of function f with a payload.
func newInvocation(change ...func(*v1beta1.InvocationParameters)) *v1beta1.Invocation {
	i := &v1beta1.Invocation{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "seed", UID: "u1", Generation: 1, Finalizers: []string{"f"}},
		Spec:       v1beta1.InvocationSpec{ForProvider: v1beta1.InvocationParameters{Region: "eu-central-1", FunctionName: ptr.To("f"), Payload: ptr.To(`{"a":1}`)}},
	}
	for _, c := range change {
		c(&i.Spec.ForProvider)
	}
	return i
}

func deleted(i *v1beta1.Invocation) {
	at := metav1.NewTime(testNow)
	i.SetDeletionTimestamp(&at)
}

func crud(p *v1beta1.InvocationParameters) { p.LifecycleScope = ptr.To(scopeCRUD) }

// without what a restored backup, or a replaced manifest, has not.
func withoutStatus(i *v1beta1.Invocation) { i.Status = v1beta1.InvocationStatus{} }

func withoutAnnotations(i *v1beta1.Invocation) { i.SetAnnotations(nil) }

// events of all steps.
func (w *world) events() string {
	var b strings.Builder
	for _, t := range w.turns {
		for _, e := range t.Events() {
			b.WriteString(string(e.Reason) + ": " + e.Message + "\n")
		}
	}
	return b.String()
}
