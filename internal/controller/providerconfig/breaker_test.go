package providerconfig

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// network answers, or does not.
type network struct{ down bool }

func (n *network) Do(*http.Request) (*http.Response, error) {
	if n.down {
		return nil, context.DeadlineExceeded
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// call calls AWS a few times with a config in a region.
func (n *network) call(b *breaker.Breakers, c providerConfig, region string) {
	cfg := aws.Config{
		Region:      region,
		HTTPClient:  n,
		Credentials: credentials.NewStaticCredentialsProvider("AKIAFAKE", "fake", ""),
		Retryer:     func() aws.Retryer { return aws.NopRetryer{} },
	}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(b.Middleware(breaker.Key{Config: c.GetUID(), Region: region}), middleware.After)
	})
	for range 5 {
		_, _ = lambda.NewFromConfig(cfg).ListFunctions(context.Background(), &lambda.ListFunctionsInput{})
	}
}

// TestReachable has AWS stop answering to a config, and answer again.
func TestReachable(t *testing.T) {
	for name, c := range map[string]providerConfig{"ProviderConfig": pc(), "ClusterProviderConfig": cpc()} {
		t.Run(name, func(t *testing.T) {
			k := namespacedKind
			if c.GetNamespace() == "" {
				k = clusterKind
			}
			e := newEnv(t, k, c, secret("aws"))
			e.breakers = breaker.New(e.now, func() float64 { return 0 })
			key := client.ObjectKeyFromObject(c)
			var requests []reconcile.Request
			e.breakers.Watch(func(k breaker.Key) {
				requests = append(
					requests,
					e.withUID(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: k.Config}})...)
			})
			attempt := func() (xpv2.Condition, time.Duration) {
				res := e.reconcile(key)
				e.get(c)
				return c.GetCondition(v1beta1.TypeReachable), res.RequeueAfter
			}
			attempt()
			if is, _ := attempt(); is.Status != corev1.ConditionUnknown {
				t.Errorf("a config to which AWS has always answered does not say so: %+v", is)
			}

			n := &network{down: true}
			n.call(e.breakers, c, "eu-west-1")
			is, after := attempt()
			if is.Status != corev1.ConditionFalse || is.Reason != v1beta1.ReasonCircuitBreakerOpen ||
				is.Message != unreachable([]string{"eu-west-1"}) ||
				is.ObservedGeneration != c.GetGeneration() {
				t.Errorf("the config does not say that AWS does not answer: %+v", is)
			}
			if after > retryEvery {
				t.Errorf("it is looked at again after %s", after)
			}
			if ready := c.GetCondition(xpv2.TypeReady); ready.Status != corev1.ConditionTrue {
				t.Errorf("other regions may be in order: %+v", ready)
			}
			writes := e.writes
			n.call(e.breakers, c, "eu-west-1")
			if attempt(); e.writes != writes {
				t.Errorf("%d writes though nothing has changed", e.writes-writes)
			}

			for i := range 5 {
				n.call(e.breakers, c, fmt.Sprintf("us-east-%d", i))
			}
			if is, _ := attempt(); is.Message != unreachable(
				[]string{"eu-west-1", "us-east-0", "us-east-1", "us-east-2"},
			) {
				t.Errorf("a few regions are named: %s", is.Message)
			}

			n.down = false
			n.call(e.breakers, c, "eu-west-1")
			for i := range 5 {
				n.call(e.breakers, c, fmt.Sprintf("us-east-%d", i))
			}
			if is, _ := attempt(); is.Status != corev1.ConditionTrue || is.Reason != v1beta1.ReasonAnswering ||
				is.Message != "" {
				t.Errorf("AWS answers again: %+v", is)
			}
			want := make([]reconcile.Request, 12)
			for i := range want {
				want[i].NamespacedName = key
			}
			if diff := cmp.Diff(want, requests); diff != "" {
				t.Errorf("the config is looked at whenever a breaker opens or closes: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestReadyConfigIsProbed has a config that begins to work after AWS has not answered.
func TestReadyConfigIsProbed(t *testing.T) {
	c := pc()
	e := newEnv(t, namespacedKind, c, secret("aws"))
	e.breakers = breaker.New(e.now, func() float64 { return 0 })
	identify := e.resolver.identify
	e.resolver.identify = func() (id session.Identity, err error) { return id, errors.New("no answer of STS") }
	e.reconcile(name(c))
	n, k := &network{down: true}, breaker.Key{Config: c.GetUID(), Region: "eu-west-1"}
	n.call(e.breakers, c, k.Region)
	wait := func() time.Duration {
		release, wait := e.breakers.Enter(k, "")
		release()
		return wait
	}
	if e.reconcile(name(c)); wait() == 0 {
		t.Error("a config that does not work is not probed before its time")
	}
	e.resolver.identify = identify
	if e.reconcile(name(c)); wait() != 0 {
		t.Error("a config that works now is probed at once")
	}
	n.call(e.breakers, c, k.Region)
	if e.reconcile(name(c)); wait() == 0 {
		t.Error("one that has worked all the time is not")
	}
}

func TestUnidentifiedConfigShowsBreakers(t *testing.T) {
	e := newEnv(t, namespacedKind, pc(), secret("aws"))
	e.breakers = breaker.New(e.now, func() float64 { return 0 })
	c := pc()
	(&network{down: true}).call(e.breakers, c, "eu-west-1")
	e.resolver.identify = func() (id session.Identity, err error) { return id, errors.New("no answer of STS") }
	e.reconcile(client.ObjectKeyFromObject(c))
	e.get(c)
	if c.GetCondition(v1beta1.TypeReachable).Status != corev1.ConditionFalse ||
		c.GetCondition(xpv2.TypeReady).Status != corev1.ConditionFalse {
		t.Errorf("%+v", c.GetConfigStatus().Conditions)
	}
}
