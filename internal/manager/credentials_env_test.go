package manager

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const (
	ci      = "arn:aws:iam::123456789012:user/ci"
	ciID    = "AKIACIUSEROFTESTS001"
	ciKey   = "ci-secret-key-of-tests-001"
	hub     = "arn:aws:iam::111111111111:role/hub"
	spoke   = "arn:aws:iam::222222222222:role/spoke"
	issuer  = "https://oidc.example.org/id/shop"
	subject = "system:serviceaccount:shop:deployer"
)

// strictEnv is an env whose double checks credentials. When the test ends, it checks that no output contains a secret.
type strictEnv struct {
	*env

	issuer *awsdouble.Issuer

	mu      sync.Mutex
	secrets []string
	sidecar *sidecar
	own     prometheus.Gatherer // Metrics of this provider alone, if it has a registry.
}

func newStrictEnv(t *testing.T, change ...func(*Options)) *strictEnv {
	t.Helper()
	o := slow
	o.StrictCredentials = true
	r := &strictEnv{env: newIdleEnv(t, suite.Cluster(t), o)}
	r.start(change...)
	r.user("AKIADOUBLE", "double")
	r.user(ciID, ciKey)
	r.secrets = []string{ciID, ciKey}
	r.double.AddRole(awsdouble.Role{
		ARN: hub, Principals: []string{ci}, MayAssume: []string{spoke}, TagSession: true,
		WebIdentity: &awsdouble.WebIdentity{Issuer: issuer, Subject: subject, Audience: "sts.amazonaws.com"},
	})
	r.double.AddRole(awsdouble.Role{
		ARN: spoke, Principals: []string{hub}, ExternalID: "shop-7f3a", TagSession: true,
		RequestTags: map[string]string{"crossplane-namespace": r.ns},
	})
	var err error
	if r.issuer, err = awsdouble.NewIssuer(issuer, awsdouble.ES256); err != nil {
		t.Fatal(err)
	}
	r.double.AddIssuer("111111111111", r.issuer, "sts.amazonaws.com")
	t.Cleanup(r.hasNoSecrets)
	return r
}

func (r *strictEnv) user(id, key string) {
	r.double.AddUser(awsdouble.User{ARN: ci, AccessKeyID: id, SecretAccessKey: key, MayAssume: []string{"*"}})
}

// hide adds values that must not appear in any output.
func (r *strictEnv) hide(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = append(r.secrets, secrets...)
}

// token returns a token of the issuer, with a lifetime.
func (r *strictEnv) token(lasts time.Duration) string {
	r.Helper()
	text, err := r.issuer.Token(subject, "sts.amazonaws.com", time.Now().Add(lasts))
	if err != nil {
		r.Fatal(err)
	}
	r.hide(text, text[strings.LastIndex(text, ".")+1:])
	return text
}

// pc creates a config with the keys of the Secret of the same name, changed by the functions.
func (r *strictEnv) pc(name string, change ...func(*v1beta1.ProviderConfigSpec)) *v1beta1.ProviderConfig {
	c := &v1beta1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: r.ns}}
	c.Spec.Credentials.Source = v1beta1.CredentialsSourceSecret
	c.Spec.Credentials.SecretRef = &v1beta1.LocalCredentialsSecretSelector{Name: name}
	c.Spec.Endpoint = &v1beta1.EndpointConfig{URL: v1beta1.URLConfig{
		Type:   v1beta1.EndpointURLTypeStatic,
		Static: ptr.To(r.double.URL()),
	}}
	for _, fn := range change {
		fn(&c.Spec)
	}
	return c
}

// roles sets the roles that are assumed after the credentials.
func roles(chain ...v1beta1.AssumeRoleOptions) func(*v1beta1.ProviderConfigSpec) {
	return func(s *v1beta1.ProviderConfigSpec) { s.AssumeRoleChain = chain }
}

func (r *strictEnv) keys(name, id, key string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: r.ns},
		StringData: map[string]string{"aws_access_key_id": id, "aws_secret_access_key": key},
	}
}

// using creates a Function that uses a config.
func (r *strictEnv) using(config, name string, change ...func(*v1beta1.Function)) *v1beta1.Function {
	return r.function(name, append([]func(*v1beta1.Function){func(f *v1beta1.Function) {
		f.Spec.ProviderConfigReference.Name = config
		f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: map[string]string{"STAGE": "test"}}
	}}, change...)...)
}

// A conditioned object is a resource or a config.
type conditioned interface {
	client.Object
	GetCondition(kind xpv2.ConditionType) xpv2.Condition
}

// untilCondition waits until a condition contains all of the texts.
func (r *strictEnv) untilCondition(o conditioned, kind xpv2.ConditionType, what ...string) xpv2.Condition {
	r.Helper()
	c := xpv2.Condition{}
	defer func() {
		if r.Failed() {
			r.Logf("%s of %s: %+v", kind, o.GetName(), c)
		}
	}()
	r.until(fmt.Sprintf("%s of %s says %q", kind, o.GetName(), what), func() bool {
		if err := r.kube.Get(r.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			r.Fatal(err)
		}
		c = o.GetCondition(kind)
		for _, w := range what {
			if !strings.Contains(c.Message, w) {
				return false
			}
		}
		return true
	})
	return c
}

// lambdaCalls returns how many calls of the provider were authorized, by account and caller.
func (r *strictEnv) lambdaCalls() map[string]int {
	n := map[string]int{}
	for _, c := range r.double.Calls() {
		if c.Service == "lambda" && c.Caller != "" {
			n[c.Account+" "+c.Caller]++
		}
	}
	return n
}

// succeeded returns how many calls of an operation succeeded.
func (r *strictEnv) succeeded(operation string) int {
	n := 0
	for _, c := range r.double.Calls() {
		if c.Operation == operation && c.ErrorCode == "" {
			n++
		}
	}
	return n
}

// keyOfLastCall returns the access key of the last call of Lambda.
func (r *strictEnv) keyOfLastCall() string {
	key := ""
	for _, c := range r.double.Calls() {
		if c.Service == "lambda" {
			key = c.AccessKey
		}
	}
	return key
}

// inAccount returns a client of an account that is not the provider's.
func (r *strictEnv) inAccount(account string) *lambda.Client {
	id := "AKIAADMIN" + account
	r.double.AddUser(awsdouble.User{
		ARN: "arn:aws:iam::" + account + ":user/admin", AccessKeyID: id,
		SecretAccessKey: "double",
	})
	return lambda.NewFromConfig(r.double.ConfigFor(region, id))
}

// hasNoSecrets checks that no secret is in logs at debug level, objects, events, metrics or the change log.
func (r *strictEnv) hasNoSecrets() {
	r.stop()
	texts := map[string]string{
		"the log": r.logs.String(), "the log of what they share": shared.String(),
		"metrics": r.metrics(),
	}
	for what, l := range map[string]client.ObjectList{
		"functions": &v1beta1.FunctionList{}, "configs": &v1beta1.ProviderConfigList{}, "usages": &v1beta1.ProviderConfigUsageList{}, "events": &corev1.EventList{},
	} {
		if err := r.kube.List(context.Background(), l, client.InNamespace(r.ns)); err != nil {
			r.Errorf("cannot list %s: %v", what, err)
		}
		b, err := json.Marshal(l)
		if err != nil {
			r.Error(err)
		}
		texts[what] = string(b)
	}
	if r.sidecar != nil {
		texts["the change log"] = r.sidecar.String()
	}
	if !strings.Contains(texts["the log"], "DEBUG") || !strings.Contains(texts["the log"], r.ns) {
		r.Error("nothing was logged at debug level")
	}
	secrets := slices.Concat(r.secrets, r.double.IssuedSecrets())
	for _, s := range secrets {
		for _, form := range []string{s, base64.StdEncoding.EncodeToString([]byte(s))} {
			for what, text := range texts {
				if i := strings.Index(text, form); i >= 0 {
					r.Errorf("%s must not hold %q: ...%s", what, form, text[max(0, i-300):min(len(text), i+100)])
				}
			}
		}
	}
	r.Logf("searched for %d secrets in %d bytes of log", len(secrets), len(texts["the log"]))
}

// metrics returns the metrics of the process and of the provider, as they are scraped.
func (r *strictEnv) metrics() string {
	r.Helper()
	all := prometheus.Gatherers{processRegistry}
	if r.own != nil {
		all = append(all, r.own)
	}
	families, err := all.Gather()
	if err != nil {
		r.Errorf("cannot gather metrics: %v", err)
	}
	var b strings.Builder
	for _, f := range families {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// processRegistry is the one in which controller-runtime registered its metrics when the process started.
var processRegistry = metrics.Registry

// registering is locked while another registry replaces it: only providers that serve metrics read it.
var registering sync.Mutex

// register registers the metrics of a test in a separate registry.
func register(t *testing.T, r metrics.RegistererGatherer) {
	t.Helper()
	registering.Lock()
	metrics.Registry = r
	t.Cleanup(func() {
		metrics.Registry = processRegistry
		registering.Unlock()
	})
}

// measured enables a provider's metrics.
func measured(o *Options) { o.MetricsAddress, o.StateMetricInterval = "127.0.0.1:0", time.Second }

// A sidecar receives the change log.
type sidecar struct {
	v1alpha1.UnimplementedChangeLogServiceServer

	socket string

	mu      sync.Mutex
	entries []*v1alpha1.ChangeLogEntry
}

func newSidecar(t *testing.T) *sidecar {
	t.Helper()
	dir, err := os.MkdirTemp("", "changelog") //nolint:usetesting // A socket's path must be short.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &sidecar{socket: filepath.Join(dir, "s")}
	l, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	v1alpha1.RegisterChangeLogServiceServer(server, s)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	return s
}

// SendChangeLog stores an entry.
func (s *sidecar) SendChangeLog(_ context.Context,
	in *v1alpha1.SendChangeLogRequest,
) (*v1alpha1.SendChangeLogResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries, in.GetEntry())
	return &v1alpha1.SendChangeLogResponse{}, nil
}

func (s *sidecar) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, e := range s.entries {
		b.WriteString(e.String() + "\n")
	}
	return b.String()
}

// has reports whether there is an entry of an operation on a resource whose snapshot contains a field.
func (s *sidecar) has(kind, name string, op v1alpha1.OperationType, snapshot string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.entries, func(e *v1alpha1.ChangeLogEntry) bool {
		return e.GetKind() == kind && e.GetName() == name && e.GetOperation() == op &&
			strings.Contains(e.GetSnapshot().String(), snapshot)
	})
}

// options enables a provider's change log.
func (s *sidecar) options(o *Options) {
	o.Features.Enable(feature.EnableAlphaChangeLogs)
	o.ChangeLogSocket = s.socket
}
