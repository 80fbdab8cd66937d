package campaign

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ktypes "k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// tenantConfig is the name of the ProviderConfig, and of its Secret, in the namespace of each tenant.
const tenantConfig = "own"

// A tenant has a namespace with a ProviderConfig, and credentials that nobody else has.
type tenant struct {
	namespace string

	// account of the credentials.
	account string

	// api is a client of the tenant's account, which uses no Network.
	api *lambda.Client
}

// tenants returns the tenants of a walk: one with an account of its own, with the same
// names as those of the shared config, and one with other credentials in the shared
// account.
func tenants() []*tenant {
	return []*tenant{
		{namespace: "north", account: "222222222222"},
		{namespace: "south", account: awsdouble.DefaultAccount},
	}
}

// prefix returns the prefix of the names of a tenant's resources. Resources in an account
// of its own have the same names as those of the shared config.
func (t *tenant) prefix() string {
	if t == nil || t.account != awsdouble.DefaultAccount {
		return ""
	}
	return t.namespace + "-"
}

// key returns the access key with a number: a tenant rotates its keys.
func (t *tenant) key(n int) string {
	return fmt.Sprintf("AKIA%s%d", strings.ToUpper(t.namespace), n)
}

// has reports whether an access key is the tenant's.
func (t *tenant) has(key string) bool {
	return t != nil && strings.HasPrefix(key, "AKIA"+strings.ToUpper(t.namespace))
}

// person is the access key of people in the shared account.
const person = "AKIADOUBLE"

// hands is the prefix of the access keys of people, which are no credentials in the
// cluster.
const hands = "AKIAHAND"

// keys is how many access keys a tenant has.
const keys = 3

// secret returns the tenant's Secret with an access key.
func (t *tenant) secret(key int) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: tenantConfig},
		Data:       map[string][]byte{"aws_access_key_id": []byte(t.key(key)), "aws_secret_access_key": []byte(Canary)},
	}
}

// config returns the tenant's ProviderConfig.
func (t *tenant) config() *v1beta1.ProviderConfig {
	return &v1beta1.ProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: tenantConfig},
		Spec: v1beta1.ProviderConfigSpec{Credentials: v1beta1.ProviderCredentials{
			Source:    v1beta1.CredentialsSourceSecret,
			SecretRef: &v1beta1.LocalCredentialsSecretSelector{Name: tenantConfig},
		}},
	}
}

// of returns a tenant's variant of a kind: in its account, and of its function.
func (k Kind) of(t *tenant) Kind {
	k.tenant = t
	k.ForProvider, k.Updates = renamed(k.ForProvider, t), renamed(k.Updates, t)
	return k
}

var unmanaged = regexp.MustCompile(`\bbase\b`)

// renamed returns a tree of JSON values with a tenant's account and function.
func renamed[T any](tree T, t *tenant) (out T) {
	b, err := json.Marshal(tree)
	if err != nil {
		panic(err) // A tree of JSON values can be marshalled.
	}
	text := strings.ReplaceAll(string(b), awsdouble.DefaultAccount, t.account)
	if err := json.Unmarshal([]byte(unmanaged.ReplaceAllString(text, t.prefix()+"base")), &out); err != nil {
		panic(err)
	}
	return out
}

// tenantKinds returns the kinds of which each tenant has a resource.
func tenantKinds(kinds []Kind, ts []*tenant) []Kind {
	var out []Kind
	for _, t := range ts {
		for _, k := range kinds {
			if k.Variant == "" && slices.Contains([]string{
				"Function", "Alias", "Permission", "FunctionURL",
				"EventSourceMapping", "LayerVersion", "CodeSigningConfig",
			}, k.Kind) {
				out = append(out, k.of(t))
			}
		}
	}
	return out
}

// join creates the initial objects of a tenant: its namespace, its config, and what its
// resources belong to in AWS.
func (s *Simulation) join(t *tenant) {
	s.Helper()
	for n := range keys {
		s.Double.AddAccessKey(t.key(n), t.account)
	}
	s.Double.AddAccessKey(hands+t.namespace, t.account)
	cfg := s.Double.ConfigFor(Region, hands+t.namespace)
	cfg.BaseEndpoint, cfg.HTTPClient = aws.String(endpoint), s.httpClient(&Network{})
	t.api = lambda.NewFromConfig(cfg)
	s.prepare(t.api, t.prefix()+"base")
	s.Create(
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: t.namespace}},
		t.secret(0),
		t.config(),
	)
	s.Double.ResetCalls()
}

// rotate gives a tenant another access key.
func (w *walker) rotate(choice int) {
	w.Helper()
	t := w.tenants[choice%len(w.tenants)]
	w.write(t.secret(choice / len(w.tenants) % keys))
}

// configure changes the tags of a config, or deletes a tenant's Secret.
func (w *walker) configure(choice int) {
	w.Helper()
	t := w.tenants[choice/3%len(w.tenants)] //nolint:mnd // As many as there are cases.
	patch := client.RawPatch(
		ktypes.MergePatchType,
		fmt.Appendf(nil, `{"spec": {"tags": {"cost": "%d"}}}`, choice%5),
	) //nolint:mnd // A few.
	var err error
	switch choice % 3 { //nolint:mnd // As many as there are.
	case 0:
		err = w.Kube.Patch(
			w.Context(),
			&v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: Config}},
			patch,
		)
	case 1:
		err = w.Kube.Patch(w.Context(),
			&v1beta1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: tenantConfig}}, patch)
	default:
		err = client.IgnoreNotFound(w.Kube.Delete(w.Context(), t.secret(0)))
	}
	if err != nil {
		w.Fatal(err)
	}
}

// in reports whether the tenant's resources are in an account.
func (t *tenant) in(account string) bool {
	if t == nil {
		return account == awsdouble.DefaultAccount
	}
	return t.account == account
}

// claim records what another team's resource names in the shared account, and which
// functions its spec names.
func (w *walker) claim(u *unstructured.Unstructured) {
	function, _, _ := unstructured.NestedString(u.Object, "spec", "forProvider", "functionName")
	for _, name := range []string{u.GetName(), meta.GetExternalName(u), function} {
		w.claimed[claim{awsdouble.DefaultAccount, lastPart(name)}] = true
	}
}

// A claim is what a resource names in an account.
type claim struct{ account, name string }

// recordNames records which tenant's resources have which names: those that AWS gave, and those
// in the manifests.
func (w *walker) recordNames() {
	w.Helper()
	for _, k := range w.kinds {
		u := k.New()
		if w.Kube.Get(w.Context(), client.ObjectKeyFromObject(u), u) != nil {
			continue
		}
		account := awsdouble.DefaultAccount
		if k.tenant != nil {
			account = k.tenant.account
		}
		if name := meta.GetExternalName(u); k.Creates == "CreateEventSourceMapping" ||
			k.Creates == "CreateCodeSigningConfig" {
			w.owned[claim{account, name}] = k.tenant
		}
	}
}

// apart checks that a tenant's external resources were read and changed with the tenant's credentials alone, and that
// these were used for nothing else. Before its owner has read what AWS has named, its tags may be read by any tenant of
// the account, to check whether it is what a creation without an answer has made.
func (w *walker) apart() {
	w.Helper()
	read := map[claim]bool{}
	for _, c := range w.Double.Calls() {
		if c.Service != "lambda" || c.Resource == "" || strings.HasPrefix(c.AccessKey, hands) || c.AccessKey == person {
			continue
		}
		signer := w.signer(c)
		if signer != nil && c.Account != signer.account {
			w.Errorf("%s of %s with a key of %s in account %s", c.Operation, c.Resource, signer, c.Account)
		}
		owner, known := w.owner(c)
		of := claim{c.Account, lastPart(c.Resource)}
		switch {
		case !known || w.claimed[of]:
		case owner == signer:
			read[of] = true
		case c.Operation != "ListTags" || read[of]:
			w.Errorf("%s of %s in account %s, which is of %s, with the credentials of %s", c.Operation, c.Resource,
				c.Account, owner, signer)
		}
	}
}

// lastPart returns the last part of an ARN: some operations take a name, others an ARN.
func lastPart(arn string) string { return arn[strings.LastIndexByte(arn, ':')+1:] }

// signer returns the tenant with the key that signed a call. Nil is the shared config.
func (w *walker) signer(c awsdouble.Call) *tenant {
	for _, t := range w.tenants {
		if t.has(c.AccessKey) {
			return t
		}
	}
	return nil
}

// given matches the names that AWS gives.
var given = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+$|arn:[^/]*:code-signing-config:.*`)

// owner returns the tenant that owns the target of a call: by the name that AWS has given,
// or else by the account or the prefix of the name. Nil is the shared config. It returns
// false for a name that AWS gave to an external resource that was never seen.
func (w *walker) owner(c awsdouble.Call) (owner *tenant, known bool) {
	if name := given.FindString(c.Resource); name != "" {
		owner, known = w.owned[claim{c.Account, name}]
		return owner, known
	}
	for _, t := range w.tenants {
		if t.account == c.Account && (t.prefix() == "" || strings.Contains(c.Resource, t.prefix())) {
			return t, true
		}
	}
	return nil, true
}

// String returns the tenant's namespace.
func (t *tenant) String() string {
	if t == nil {
		return "the shared config"
	}
	return t.namespace
}
