package eventsourcemapping

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

const (
	testQueue  = "arn:aws:sqs:eu-central-1:123456789012:q"
	testStream = "arn:aws:kinesis:eu-central-1:123456789012:stream/s"
	testMSK    = "arn:aws:kafka:eu-central-1:123456789012:cluster/c/0"
	testBroker = "arn:aws:mq:eu-central-1:123456789012:broker:b:b-0"
	testDocDB  = "arn:aws:rds:eu-central-1:123456789012:cluster:c"
	testSecret = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:"
	testKey    = "arn:aws:kms:eu-central-1:123456789012:key/"
)

// noFields returns the fields of other objects for tests that have none.
type noFields func(v1beta1.FieldSelector) (string, error)

func (f noFields) Get(_ context.Context, _ string, s v1beta1.FieldSelector) (string, error) {
	if f == nil {
		return "", errors.New("there are no fields")
	}
	return f(s)
}

// env has the functions f and g, and mappings that take a second for each change.
type env struct {
	*testenv.Env[*v1beta1.EventSourceMapping]

	tags   *readcache.TagCache
	cache  *readcache.Cache
	fields noFields
}

func newEnv(t testing.TB) *env {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{CreateDuration: time.Second, UpdateDuration: time.Second})
	w.AddFunction("f")
	w.AddFunction("g")
	w.Double.ResetCalls()
	e := &env{}
	e.Env = testenv.Observing(w, func() reconcile.Observer[*v1beta1.EventSourceMapping] {
		return e.newExternal(w.Lambda)
	})
	e.restart()
	return e
}

// restart restarts the provider, which loses its state in memory.
func (e *env) restart() { e.tags, e.cache = readcache.NewTagCache(e.Now), &readcache.Cache{} }

func (e *env) newExternal(api *lambda.Client) awsResource {
	th := &external{
		api: api, fields: e.fields, tags: e.tags, cache: e.cache,
		owner: testenv.Owner(kind, "ignored"),
	}
	return th.resource()
}

// only returns the only mapping in AWS.
func (e *env) only() awsdouble.Mapping {
	e.Helper()
	all := e.Double.Mappings()
	if len(all) != 1 {
		e.Fatalf("AWS has %d mappings, want 1: %+v", len(all), all)
	}
	return all[0]
}

// testMapping returns a mapping that reads a queue and invokes function f.
func testMapping(change ...func(*v1beta1.EventSourceMapping)) *v1beta1.EventSourceMapping {
	return testenv.Build(&v1beta1.EventSourceMapping{
		ObjectMeta: metav1.ObjectMeta{Name: "m", Namespace: "ns", UID: ktypes.UID("uid-1"), Generation: 1},
		Spec: v1beta1.EventSourceMappingSpec{
			ManagedResourceSpec: testenv.Spec(),
			ForProvider: v1beta1.EventSourceMappingParameters{
				Regional:       v1beta1.Regional{Region: testenv.Region},
				FunctionName:   ptr.To("f"),
				EventSourceArn: ptr.To(testQueue),
			},
		},
	}, change...)
}

// edit changes a spec as the API server does.
func edit(m *v1beta1.EventSourceMapping, change func(p *v1beta1.EventSourceMappingParameters)) {
	change(&m.Spec.ForProvider)
	m.Generation++
}
