package testenv

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// Region of all resources.
const Region = "eu-central-1"

// Start is the initial time of every clock.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// A Clock is a clock that a test moves.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows Start.
func NewClock() *Clock { return &Clock{now: Start} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance advances the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A AWS is a double of AWS with the real SDK in front of it.
type AWS struct {
	testing.TB
	*Clock

	Double *awsdouble.Server

	// Lambda tries each call once, so that a response that is lost is not repeated.
	Lambda *lambda.Client

	// Responses are responses of an emulator that replace those of AWS, by operation.
	Responses map[string]Answer

	// OnCall receives the input of each call of Lambda before it is made. It may be nil.
	OnCall func(in any)

	// Script replaces the double for calls of Lambda. If it is not nil, a call without a response in it fails the test.
	Script Script

	// scriptedCalls are the operations to which the script has responded.
	scriptedCalls []string

	// draws edit the responses of AWS, in a fuzz test.
	draws *Draws

	// Cache is a cache of responses that the resources of the kind share, if they share any.
	Cache *readcache.Cache
}

// A Script returns responses by operation.
type Script map[string]func(in any) (any, error)

// Scripted returns a script's response that calls a function.
func Scripted[I, O any](f func(*I) (*O, error)) func(any) (any, error) {
	return func(in any) (any, error) {
		i, _ := in.(*I)
		return f(i)
	}
}

// Returns returns a script's response that is always the same.
func Returns[O any](out *O, err error) func(any) (any, error) {
	return func(any) (any, error) { return out, err }
}

// NewAWS starts an empty double with a clock of its own. It is closed when the test ends.
func NewAWS(t testing.TB, o awsdouble.Options) *AWS {
	t.Helper()
	w := &AWS{TB: t, Clock: NewClock(), Cache: &readcache.Cache{}}
	o.Now = w.Now
	w.Double = awsdouble.New(o)
	w.Double.Start()
	t.Cleanup(w.Double.Close)
	w.Lambda = w.TryingOnce()
	return w
}

// NewScripted returns an AWS with a script instead of a double.
func NewScripted(t testing.TB, s Script) *AWS {
	t.Helper()
	w := &AWS{TB: t, Clock: NewClock(), Cache: &readcache.Cache{}, Script: s}
	w.Lambda = lambda.NewFromConfig(aws.Config{Region: Region},
		func(o *lambda.Options) { o.APIOptions = append(o.APIOptions, w.fuzzing) })
	return w
}

// TryingOnce returns a client that tries each call once.
func (w *AWS) TryingOnce() *lambda.Client {
	return lambda.NewFromConfig(w.Double.Config(Region), func(o *lambda.Options) {
		o.Retryer = aws.NopRetryer{}
		o.APIOptions = append(o.APIOptions, w.answering, w.fuzzing)
	})
}

// Retrying returns a client that retries calls, as the provider's does.
func (w *AWS) Retrying() *lambda.Client {
	return lambda.NewFromConfig(w.Double.Config(Region),
		func(o *lambda.Options) { o.APIOptions = append(o.APIOptions, w.answering, w.fuzzing) })
}

// Must fails the test at once if there is an error.
func (w *AWS) Must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// AddFunction creates a function without files in AWS.
func (w *AWS) AddFunction(name string, change ...func(*lambda.CreateFunctionInput)) {
	w.Helper()
	in := &lambda.CreateFunctionInput{
		FunctionName: &name, Role: aws.String("arn:aws:iam::123456789012:role/r"), Handler: aws.String("index.handler"),
		Runtime: types.RuntimePython313, Code: &types.FunctionCode{ZipFile: awsdouble.Zip(nil)},
	}
	for _, c := range change {
		c(in)
	}
	_, err := w.Lambda.CreateFunction(w.Context(), in)
	w.Must(err)
}

// Publish publishes a new version of a function after a change, and returns its number.
func (w *AWS) Publish(function string, change ...func(*lambda.UpdateFunctionConfigurationInput)) string {
	w.Helper()
	in := &lambda.UpdateFunctionConfigurationInput{FunctionName: &function}
	for _, c := range change {
		c(in)
	}
	_, err := w.Lambda.UpdateFunctionConfiguration(w.Context(), in)
	w.Must(err)
	out, err := w.Lambda.PublishVersion(w.Context(), &lambda.PublishVersionInput{FunctionName: &function})
	w.Must(err)
	return *out.Version
}

// AddAlias creates an alias of a version of a function in AWS.
func (w *AWS) AddAlias(function, name, version string) {
	w.Helper()
	_, err := w.Lambda.CreateAlias(w.Context(), &lambda.CreateAliasInput{
		FunctionName: &function, Name: &name, FunctionVersion: &version,
	})
	w.Must(err)
}

// Operations returns the AWS operations that were called since the double's calls were reset, or those that the
// script received.
func (w *AWS) Operations() []string {
	if w.Script != nil {
		return slices.Clone(w.scriptedCalls)
	}
	var out []string
	for _, c := range w.Double.Calls() {
		out = append(out, c.Operation)
	}
	return out
}

// Writes returns the operations that change something.
func Writes(operations []string) []string {
	var out []string
	for _, op := range operations {
		if !reads(op) {
			out = append(out, op)
		}
	}
	return out
}

func reads(operation string) bool {
	for _, verb := range []string{"Get", "List", "Head", "BatchGet"} {
		if strings.HasPrefix(operation, verb) {
			return true
		}
	}
	return false
}

// Fields are the values of fields of other objects, by the objects' names.
type Fields map[string]string

// Get returns the value of a field, or a MissingError.
func (f Fields) Get(_ context.Context, namespace string, s v1beta1.FieldSelector) (string, error) {
	if v, ok := f[s.Name]; ok {
		return v, nil
	}
	return "", &refs.MissingError{
		Ref: refs.ObjectRef{Kind: refs.ObjectKind(s.Kind), Namespace: namespace, Name: s.Name},
	}
}

// Functions is a client that returns Functions.
type Functions struct {
	client.Reader

	// Answer sets the Function of a key, or returns the error of the read.
	Answer func(client.ObjectKey, *v1beta1.Function) error
}

// Get returns the Function of a key.
func (f Functions) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	fn, ok := obj.(*v1beta1.Function)
	if !ok {
		return errors.Errorf("there are Functions only, no %T", obj)
	}
	return f.Answer(key, fn)
}

// Objects are the existing Secrets and ConfigMaps.
type Objects map[refs.ObjectRef]refs.ObjectData

// Get returns the data of one of them, or a MissingError.
func (o Objects) Get(_ context.Context, ref refs.ObjectRef) (refs.ObjectData, error) {
	if d, ok := o[ref]; ok {
		return d, nil
	}
	return nil, &refs.MissingError{Ref: ref}
}

// Spec returns the spec of a resource with all management policies and the default ClusterProviderConfig.
func Spec() xpv2.ManagedResourceSpec {
	return xpv2.ManagedResourceSpec{
		ManagementPolicies:      xpv2.ManagementPolicies{xpv2.ManagementActionAll},
		ProviderConfigReference: &xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "default"},
	}
}

// Cluster is the ID of the cluster of Owner's resources.
const Cluster = "cluster-1"

// Owner returns the owner of a kind's resources, with a ProviderConfig that ignores a tag.
func Owner(kind, ignored string) tagging.Owner {
	return tagging.Owner{
		Kind: kind, ClusterID: Cluster, Config: "default",
		Ignore: func(k string) bool { return k == ignored },
	}
}

// Some returns a pointer to a random one of the values, or nil.
func Some[T any](g *rand.Rand, of ...T) *T {
	if g.IntN(2) == 0 {
		return nil
	}
	return &of[g.IntN(len(of))]
}

// JSON returns a value as JSON. It panics if the value cannot be encoded.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// APIError returns an error response of AWS as the SDK returns it.
func APIError(status int, code, message string) error {
	return &smithy.OperationError{ServiceID: "Lambda", OperationName: "X", Err: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
		Err:      &smithy.GenericAPIError{Code: code, Message: message},
	}}
}
