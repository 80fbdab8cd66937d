package engine

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// A silentSTS is an STS that never answers. It counts calls.
type silentSTS struct{ calls atomic.Int64 }

func (s *silentSTS) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	s.calls.Add(1)
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
	}
	return nil, context.DeadlineExceeded
}

// applySilent creates n resources in a namespace, and some configs for them, whose STS is silent.
func (f *fleet) applySilent(kube client.Client, ns string, n, configs int) {
	for i := range n {
		name := fmt.Sprint("c", i%configs)
		c := &v1beta1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{
			Namespace: ns, Name: name, UID: types.UID(ns + name), Generation: 1,
		}}
		c.Spec.Credentials.Source = v1beta1.CredentialsSourceSecret
		c.Spec.Credentials.SecretRef = &v1beta1.LocalCredentialsSecretSelector{Name: "aws"}
		if err := kube.Create(f.t.Context(), c); i < configs && err != nil {
			f.t.Fatal(err)
		}
		mg := samples.New()
		mg.ObjectMeta = metav1.ObjectMeta{
			Namespace: ns, Name: fmt.Sprint("x", i), UID: types.UID(fmt.Sprint(ns, "x", i)), Generation: 1,
		}
		mg.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: v1beta1.ProviderConfigKind, Name: name})
		if err := f.server.Create(f.t.Context(), mg); err != nil {
			f.t.Fatal(err)
		}
		f.queue.Add(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(mg)})
	}
}

// TestSilentSTS has tenants with configs whose STS never answers, so that a resource waits for its session. Others are
// as quick as without them, and the resources report the error.
func TestSilentSTS(t *testing.T) {
	const (
		workers = 100
		hostile = 30
		good    = 50
	)
	alone := time.Duration(0)
	t.Setenv("AWS_ENDPOINT_URL_STS", "http://sts.example.org")
	for _, tc := range []struct{ tenants, configs int }{{}, {20, 1}, {20, hostile}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			s := runtime.NewScheme()
			for _, add := range []func(*runtime.Scheme) error{samples.AddToScheme, v1beta1.AddToScheme} {
				if err := add(s); err != nil {
					t.Fatal(err)
				}
			}
			kube, sts, f := fake.NewClientBuilder().WithScheme(s).Build(), &silentSTS{}, newFleet(ctx, t, workers)
			keys := func(context.Context, types.NamespacedName) (map[string][]byte, error) {
				return map[string][]byte{"aws_access_key_id": []byte("A"), "aws_secret_access_key": []byte("s")}, nil
			}
			f.silent = session.New(kube, keys, quota.New(time.Now, nil), time.Now, session.Options{
				Breakers: f.breakers,
				HTTPClient: awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
					t.DialContext = sts.dial
				}),
			})
			defer time.Sleep(2 * time.Minute) // Until the last calls have ended.
			defer f.stop(cancel)
			for i := range tc.tenants {
				f.applySilent(kube, fmt.Sprint("silent", i), hostile, tc.configs)
			}
			worst := time.Duration(0)
			for i, after := range []time.Duration{time.Second, 40 * time.Second, 6 * time.Minute} {
				time.Sleep(after)
				ns := fmt.Sprint("good", i)
				f.apply(ns, "a", good, false)
				worst = max(worst, f.toReady(ns, 10*time.Minute))
			}
			t.Logf(
				"%d tenants with %d configs each: others are Ready after %s, %d calls of STS",
				tc.tenants,
				tc.configs,
				worst,
				sts.calls.Load(),
			)
			if tc.tenants == 0 {
				alone = worst
			}
			if worst > 2*alone {
				t.Errorf("others are Ready after %s, alone after %s", worst, alone)
			}
			for i := range tc.tenants {
				for _, mg := range f.samples(fmt.Sprint("silent", i)) {
					if c := mg.GetCondition(xpv2.TypeSynced); !strings.Contains(c.Message, "answer") {
						t.Errorf("%s/%s does not say what is wrong: %q", mg.Namespace, mg.Name, c.Message)
					}
				}
			}
		})
	}
}
