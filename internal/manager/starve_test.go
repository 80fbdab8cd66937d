package manager

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestHangingEndpoint runs hundreds of Functions whose endpoint never responds. Functions of another config are
// created meanwhile, and the config reports the problem until its endpoint responds.
func TestHangingEndpoint(t *testing.T) {
	t.Parallel()
	const (
		workers = 100
		hanging = 200
	)
	var later atomic.Int64
	e := newEnv(t, awsdouble.Options{}, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
		o.MaxConcurrentReconciles = workers
		o.Config.HTTPClient = awshttp.NewBuildableClient().WithTimeout(5 * time.Second)
	})
	var open, most atomic.Int64
	repaired := make(chan struct{})
	repair := sync.OnceFunc(func() { close(repaired) })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		most.Store(max(most.Load(), open.Add(1)))
		defer open.Add(-1)
		select {
		case <-q.Context().Done():
		case <-repaired:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(repair)
	attacker := &v1beta1.ProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Name: "evil", Namespace: e.ns},
		Spec: v1beta1.ProviderConfigSpec{
			Credentials: v1beta1.ProviderCredentials{Source: v1beta1.CredentialsSourceNone},
			ConnectionSpec: v1beta1.ConnectionSpec{
				SkipCredentialsValidation: true, SkipRequestingAccountID: true,
				Endpoint: &v1beta1.EndpointConfig{URL: v1beta1.URLConfig{
					Type:   v1beta1.EndpointURLTypeStatic,
					Static: ptr.To(s.URL),
				}},
			},
		},
	}
	e.create(attacker)
	for i := range hanging {
		e.create(e.function(fmt.Sprintf("evil-%d", i), func(f *v1beta1.Function) {
			f.Spec.ProviderConfigReference.Name = "evil"
		}))
	}
	good := e.function("good")
	e.create(good)
	e.ready(good)
	if n := most.Load(); n == 0 || n > workers/2 {
		t.Errorf("%d calls hung at a time, want some, and at most half of the workers", n)
	}

	reachable := func(want corev1.ConditionStatus) bool {
		if err := e.kube.Get(t.Context(), client.ObjectKeyFromObject(attacker), attacker); err != nil {
			t.Fatal(err)
		}
		return attacker.GetCondition(v1beta1.TypeReachable).Status == want
	}
	e.until("the config says that AWS does not answer", func() bool { return reachable(corev1.ConditionFalse) })
	f := e.function("evil-0")
	e.until("a Function says it too", func() bool {
		e.get(f)
		return strings.Contains(f.GetCondition(xpv2.TypeSynced).Message, "AWS does not answer ProviderConfig \"evil\"")
	})
	late := e.function("late")
	e.create(late)
	e.ready(late)

	// By now the next probe is due.
	repair()
	later.Store(int64(time.Hour))
	e.reconcile(f)
	e.until("the config says that AWS answers", func() bool { return reachable(corev1.ConditionTrue) })
}
