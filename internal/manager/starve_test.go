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
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/providerconfig"
)

// TestHangingEndpoint has hundreds of Functions whose endpoint never answers. Those of
// another config are made meanwhile, and the config says what is wrong until its
// endpoint answers.
func TestHangingEndpoint(t *testing.T) {
	t.Parallel()
	const (
		workers = 100
		hanging = 200
	)
	var later atomic.Int64
	r := newRig(t, awsdouble.Options{}, func(o *Options) {
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
	evil := &v1beta1.ProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Name: "evil", Namespace: r.ns},
		Spec: v1beta1.ProviderConfigSpec{
			Credentials: v1beta1.ProviderCredentials{Source: v1beta1.CredentialsSourceNone},
			ConnectionSpec: v1beta1.ConnectionSpec{
				SkipCredentialsValidation: true, SkipRequestingAccountID: true,
				Endpoint: &v1beta1.EndpointConfig{URL: v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: ptr.To(s.URL)}},
			},
		},
	}
	r.create(evil)
	for i := range hanging {
		r.create(r.function(fmt.Sprintf("evil-%d", i), func(f *v1beta1.Function) {
			f.Spec.ProviderConfigReference.Name = "evil"
		}))
	}
	good := r.function("good")
	r.create(good)
	r.ready(good)
	if n := most.Load(); n == 0 || n > workers/2 {
		t.Errorf("%d calls hung at a time, want some, and at most half of the workers", n)
	}

	reachable := func(want corev1.ConditionStatus) bool {
		if err := r.kube.Get(t.Context(), client.ObjectKeyFromObject(evil), evil); err != nil {
			t.Fatal(err)
		}
		return evil.GetCondition(providerconfig.TypeReachable).Status == want
	}
	r.until("the config says that AWS does not answer", func() bool { return reachable(corev1.ConditionFalse) })
	f := r.function("evil-0")
	r.until("a Function says it too", func() bool {
		r.get(f)
		return strings.Contains(f.GetCondition(xpv2.TypeSynced).Message, "AWS does not answer ProviderConfig \"evil\"")
	})
	late := r.function("late")
	r.create(late)
	r.ready(late)

	// However long it took until here, the next probe is due by now.
	repair()
	later.Store(int64(time.Hour))
	r.look(f)
	r.until("the config says that AWS answers", func() bool { return reachable(corev1.ConditionTrue) })
}
