package session

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// A fakeSTS answers as STS does, and records its calls.
type fakeSTS struct {
	*httptest.Server

	now func() time.Time

	mu      sync.Mutex
	calls   []url.Values
	headers []http.Header
	// refuse has the codes of errors by action, or by the region that a call is signed for.
	refuse   map[string]string
	unblock  chan struct{}
	lifetime time.Duration
	issued   int
}

func newFakeSTS(t *testing.T, now func() time.Time) *fakeSTS {
	t.Helper()
	s := &fakeSTS{now: now, refuse: map[string]string{}, lifetime: time.Hour}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

var accessKey = regexp.MustCompile(`Credential=([^/]+)/\d+/([^/]+)/([^/]+)/`)

func (s *fakeSTS) serve(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	form := maps.Clone(r.Form)
	if m := accessKey.FindStringSubmatch(r.Header.Get("Authorization")); m != nil {
		form["signedBy"], form["signedRegion"], form["signedName"] = m[1:2], m[2:3], m[3:4]
	}
	s.mu.Lock()
	s.calls = append(s.calls, form)
	s.headers = append(s.headers, r.Header)
	code, unblock := cmp.Or(s.refuse[form.Get("Action")], s.refuse[form.Get("signedRegion")]), s.unblock
	s.issued++
	id := s.issued
	s.mu.Unlock()
	if unblock != nil {
		<-unblock
	}
	w.Header().Set("Content-Type", "text/xml")
	if code != "" {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(
			w,
			`<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>User: arn:aws:iam::123456789012:user/ci is not authorized to perform: sts:%s on resource: %s</Message></Error><RequestId>%d-abc</RequestId></ErrorResponse>`,
			code,
			form.Get("Action"),
			form.Get("RoleArn"),
			id,
		)
		return
	}
	switch action := form.Get("Action"); action {
	case "GetCallerIdentity":
		fmt.Fprint(
			w,
			`<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/ci</Arn><UserId>A</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
		)
	case "AssumeRole", "AssumeRoleWithWebIdentity":
		fmt.Fprintf(
			w,
			`<%[1]sResponse><%[1]sResult><Credentials><AccessKeyId>ASIA%[2]d</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>%[3]s</Expiration></Credentials><AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/r/s</Arn><AssumedRoleId>A:s</AssumedRoleId></AssumedRoleUser></%[1]sResult></%[1]sResponse>`,
			action,
			id,
			s.now().Add(s.lifetime).UTC().Format(time.RFC3339),
		)
	}
}

// callsOf returns how often an action was called.
func (s *fakeSTS) callsOf(action string) int { return len(s.of(action)) }

// of returns the calls of an action.
func (s *fakeSTS) of(action string) []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []url.Values{}
	for _, c := range s.calls {
		if c.Get("Action") == action {
			found = append(found, c)
		}
	}
	return found
}

func (s *fakeSTS) refuseWith(actionOrRegion, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse[actionOrRegion] = code
}

// A bed has a resolver with its doubles.
type env struct {
	*Resolver

	kube    client.Client
	sts     *fakeSTS
	environ map[string]string
	files   map[string]string

	mu   sync.Mutex
	time time.Time
}

func (e *env) now() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.time
}

func (e *env) wait(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.time = e.time.Add(d)
}

func newEnv(t *testing.T, o Options, objs ...client.Object) *env {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1beta1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	e := &env{time: epoch, environ: map[string]string{}, files: map[string]string{}}
	e.kube = fake.NewClientBuilder().WithScheme(scheme).WithObjects(objs...).Build()
	e.sts = newFakeSTS(t, e.now)
	t.Setenv("AWS_ENDPOINT_URL_STS", e.sts.URL)
	// The double of AWS needs these. Tests of what is refused reset them.
	o.AllowNamespacedEndpoints, o.AllowLoopbackEndpoints = true, true
	o.NamespacedEndpointHosts = []string{"*", "127.0.0.1"}
	o.LookupEnv = func(k string) (string, bool) { v, ok := e.environ[k]; return v, ok }
	o.ReadFile = func(p string) ([]byte, error) {
		if v, ok := e.files[p]; ok {
			return []byte(v), nil
		}
		return nil, fmt.Errorf("open %s: no such file or directory", p)
	}
	e.Resolver = New(e.kube, LiveSecrets(e.kube), quota.New(e.now, nil), e.now, o)
	return e
}

const (
	ns     = "team-a"
	region = "eu-west-1"
	ini    = "[default]\naws_access_key_id = AKIAONE\naws_secret_access_key = hunter2\n\n[ci]\naws_access_key_id = " +
		"AKIACI\naws_secret_access_key = hunter3\naws_session_token = hunter4\n"
)

func function(kind, name string) *v1beta1.Function {
	f := &v1beta1.Function{}
	f.SetNamespace(ns)
	f.SetName("orders")
	f.SetUID("f1")
	f.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: kind, Name: name})
	return f
}

func secret(namespace, name string, data map[string]string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{}}
	for k, v := range data {
		s.Data[k] = []byte(v)
	}
	return s
}

// namespaced returns a ProviderConfig with the keys of a Secret, and changes.
func namespaced(change ...func(*v1beta1.ProviderConfigSpec)) *v1beta1.ProviderConfig {
	c := &v1beta1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{
		Namespace: ns, Name: "default", UID: "pc1",
		Generation: 1,
	}}
	c.Spec.Credentials.Source = v1beta1.CredentialsSourceSecret
	c.Spec.Credentials.SecretRef = &v1beta1.LocalCredentialsSecretSelector{Name: "aws", Key: "creds"}
	for _, fn := range change {
		fn(&c.Spec)
	}
	return c
}

// cluster returns a ClusterProviderConfig with changes.
func cluster(change ...func(*v1beta1.ClusterProviderConfigSpec)) *v1beta1.ClusterProviderConfig {
	c := &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default", UID: "cpc1", Generation: 1}}
	for _, fn := range change {
		fn(&c.Spec)
	}
	return c
}

func (e *env) resolve(t *testing.T, f *v1beta1.Function) *Session {
	t.Helper()
	s, err := e.Resolve(t.Context(), f, region)
	if err != nil {
		t.Fatalf("Resolve: %v", err)
	}
	return s
}

// keyOf returns the access key and the session token with which a session signs now.
func keyOf(t *testing.T, s *Session) string {
	t.Helper()
	c, err := s.AWS.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatalf("Retrieve: %v", err)
	}
	return c.AccessKeyID
}

func (e *env) update(t *testing.T, obj client.Object, change func()) {
	t.Helper()
	if err := e.kube.Get(t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil {
		t.Fatal(err)
	}
	change()
	if err := e.kube.Update(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}

func role(arn string) v1beta1.AssumeRoleOptions { return v1beta1.AssumeRoleOptions{RoleARN: &arn} }
