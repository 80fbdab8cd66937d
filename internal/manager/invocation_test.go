package manager

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// invocationEnv has a Function that records its payloads.
type invocationEnv struct {
	*env

	mu      sync.Mutex
	seen    []string
	returns awsdouble.Returned
}

func newInvocationEnv(t *testing.T) *invocationEnv {
	t.Helper()
	r := &invocationEnv{env: newEnv(t, slow)}
	r.double.OnInvoke("f", func(in awsdouble.Invoked) awsdouble.Returned {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.seen = append(r.seen, string(in.Payload))
		return r.returns
	})
	return r
}

// runs returns the payloads with which the function was invoked.
func (r *invocationEnv) runs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen)
}

func (r *invocationEnv) invocation(name string, change func(*v1beta1.InvocationParameters)) *v1beta1.Invocation {
	i := &v1beta1.Invocation{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: r.ns}}
	i.Spec.ProviderConfigReference = &xpv2.ProviderConfigReference{Kind: "ProviderConfig", Name: "default"}
	i.Spec.ForProvider = v1beta1.InvocationParameters{
		Regional:        v1beta1.Regional{Region: region},
		FunctionNameRef: &xpv2.NamespacedReference{Name: "f"},
	}
	change(&i.Spec.ForProvider)
	return i
}

// becomes waits until the Invocation is reconciled in its present generation.
func (r *invocationEnv) becomes(i *v1beta1.Invocation, ready corev1.ConditionStatus, message string) {
	r.Helper()
	r.until(i.GetName()+" says: "+message, func() bool {
		if err := r.kube.Get(r.Context(), client.ObjectKeyFromObject(i), i); err != nil {
			r.Fatal(err)
		}
		c := i.GetCondition(xpv2.TypeReady)
		return c.Status == ready && strings.Contains(c.Message, message) &&
			i.GetObservedGeneration() == i.GetGeneration()
	})
}

func (r *invocationEnv) change(i *v1beta1.Invocation, change func(*v1beta1.Invocation)) {
	r.Helper()
	r.until("it can be changed", func() bool {
		if err := r.kube.Get(r.Context(), client.ObjectKeyFromObject(i), i); err != nil {
			r.Fatal(err)
		}
		change(i)
		err := r.kube.Update(r.Context(), i)
		if err != nil && !kerrors.IsConflict(err) {
			r.Fatal(err)
		}
		return err == nil
	})
}

// observe requests a reconcile, and waits until it is done.
func (r *invocationEnv) observe(i *v1beta1.Invocation, token string) {
	r.Helper()
	r.change(i, func(i *v1beta1.Invocation) {
		metav1.SetMetaDataAnnotation(&i.ObjectMeta, "crossplane.io/reconcile-requested-at", token)
	})
	r.until("it is looked at", func() bool {
		return r.kube.Get(r.Context(), client.ObjectKeyFromObject(i), i) == nil &&
			i.GetLastHandledReconcileAt() == token
	})
}

func (r *invocationEnv) sees(want ...string) {
	r.Helper()
	if got := r.runs(); !slices.Equal(got, want) {
		r.Errorf("want the function to be invoked with %q, got %q", want, got)
	}
}

func TestInvocationRunsOnce(t *testing.T) {
	t.Parallel()
	r := newInvocationEnv(t)
	r.returns = awsdouble.Returned{Payload: []byte(`{"rows":3}`), Log: "START\nEND"}
	i := r.invocation("seed", func(p *v1beta1.InvocationParameters) {
		p.Payload, p.RecordResult, p.LogType = ptr.To(`{"n":1}`), ptr.To(true), ptr.To("Tail")
	})
	r.create(i, r.function("f"))
	r.becomes(i, corev1.ConditionTrue, "")
	if o := i.Status.AtProvider; ptr.Deref(o.Result, "") != `{"rows":3}` || ptr.Deref(o.LogTail, "") != "START\nEND" ||
		ptr.Deref(o.ExecutedVersion, "") != "$LATEST" {
		t.Errorf("the result must be told, got %+v", o)
	}
	calls := r.double.Count("Invoke") + r.double.Count("GetFunctionConfiguration")
	r.observe(i, "1")
	r.change(i, func(i *v1beta1.Invocation) { i.SetAnnotations(nil) }) // As kubectl replace does.
	r.observe(i, "2")
	r.stop()
	r.start()
	r.observe(i, "3")
	r.sees(`{"n":1}`)
	if got := r.double.Count("Invoke") + r.double.Count("GetFunctionConfiguration"); got != calls {
		t.Errorf("what was invoked costs no call of AWS, got %d", got-calls)
	}
	r.change(i, func(i *v1beta1.Invocation) { i.Spec.ForProvider.Payload = ptr.To(`{"n":2}`) })
	r.becomes(i, corev1.ConditionTrue, "")
	r.sees(`{"n":1}`, `{"n":2}`)

	// A call that is interrupted is not repeated, not even by the next leader.
	r.double.Fail(awsdouble.Fault{Operation: "Invoke", Drop: awsdouble.DropAfter})
	r.change(i, func(i *v1beta1.Invocation) { i.Spec.ForProvider.Triggers = map[string]string{"code": "v2"} })
	r.becomes(i, corev1.ConditionFalse, "it is not known whether the function ran")
	r.stop()
	r.start()
	r.observe(i, "4")
	r.sees(`{"n":1}`, `{"n":2}`, `{"n":2}`)
	r.change(i, func(i *v1beta1.Invocation) { i.Spec.ForProvider.Triggers = map[string]string{"code": "v3"} })
	r.becomes(i, corev1.ConditionTrue, "")
	r.sees(`{"n":1}`, `{"n":2}`, `{"n":2}`, `{"n":2}`)

	if err := r.kube.Delete(t.Context(), i); err != nil {
		t.Fatal(err)
	}
	r.until("it is gone", func() bool {
		return kerrors.IsNotFound(r.kube.Get(t.Context(), client.ObjectKeyFromObject(i), i))
	})
	if got := len(r.runs()); got != 4 {
		t.Errorf("a deletion invokes nothing, got %d invocations", got)
	}
}

// TestInvocationWithASecret uses a payload from a Secret, which the failing function repeats in its error.
func TestInvocationWithASecret(t *testing.T) {
	t.Parallel()
	r := newInvocationEnv(t)
	r.returns = awsdouble.Returned{
		Error:   "Unhandled",
		Payload: []byte(`{"errorType":"Login","errorMessage":"refused hunter2-one"}`),
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "event", Namespace: r.ns},
		StringData: map[string]string{"json": `{"password":"hunter2-one"}`},
	}
	i := r.invocation("login", func(p *v1beta1.InvocationParameters) {
		p.PayloadFrom = &v1beta1.ValueSource{SecretKeyRef: &v1beta1.KeySelector{Name: "event", Key: "json"}}
		p.LifecycleScope = ptr.To("CRUD")
	})
	r.create(r.function("f"), i)
	r.until("the missing Secret is named", func() bool {
		return r.kube.Get(t.Context(), client.ObjectKeyFromObject(i), i) == nil &&
			strings.Contains(i.GetCondition(xpv2.TypeSynced).Message, "Secret "+r.ns+"/event does not exist")
	})
	r.create(secret)
	r.becomes(i, corev1.ConditionFalse, "the function returned an error (Unhandled): Login: refused (redacted)")
	r.mu.Lock()
	r.returns = awsdouble.Returned{}
	r.mu.Unlock()
	secret.StringData = map[string]string{"json": `{"password":"hunter2-two"}`}
	if err := r.kube.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	r.becomes(i, corev1.ConditionTrue, "")
	status, err := json.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.kube.Delete(t.Context(), i); err != nil {
		t.Fatal(err)
	}
	r.until("it is gone", func() bool {
		return kerrors.IsNotFound(r.kube.Get(t.Context(), client.ObjectKeyFromObject(i), i))
	})
	r.sees(
		`{"password":"hunter2-one","tf":{"action":"create","prev_input":null}}`,
		`{"password":"hunter2-two","tf":{"action":"update","prev_input":null}}`,
		`{"password":"hunter2-two","tf":{"action":"delete","prev_input":null}}`,
	)
	for what, text := range map[string]string{
		"the object": string(status), "events": r.events("login"),
		"the log at debug level": r.logs.String(),
	} {
		if at := strings.Index(text, "hunter2"); at >= 0 {
			t.Errorf("nothing of a Secret may be in %s: ...%s", what, text[max(0, at-200):min(len(text), at+50)])
		}
	}
}
