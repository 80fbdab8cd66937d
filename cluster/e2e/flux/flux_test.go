//go:build flux

package flux

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/verify"
	"github.com/crossplane-contrib/provider-lambda/internal/test/cosign"
	"github.com/crossplane-contrib/provider-lambda/internal/test/fluxtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/registry"
)

// TestCommit deploys a folder of a Git repository. The provider polls once an hour, so that only watches are at work.
func TestCommit(t *testing.T) {
	e := newEnv(t)
	e.config(nil)
	git := newRepository(t)
	first := git.commit(map[string]string{"checkout/index.py": "def handler(e, c): return 1", "README.md": "Shop"})

	// The Function is there before its source.
	f := e.function("checkout", "GitRepository", "shop", ptr.To("checkout"))
	source := e.source("GitRepository", "shop", map[string]any{"url": git.url, "ref": map[string]any{"branch": "main"}})
	before := e.deployed(f, first)

	second := git.commit(map[string]string{"checkout/index.py": "def handler(e, c): return 2"})
	e.fetch(source)
	after := e.deployed(f, second)
	if n := e.double.Count("UpdateFunctionCode"); n != 1 || after.CodeSHA256 == before.CodeSHA256 {
		t.Errorf("want other code by one update for a commit, got %d updates, from %+v to %+v", n, before, after)
	}

	third := git.commit(map[string]string{"README.md": "The shop"})
	e.fetch(source)
	other := e.deployed(f, third)
	if n := e.double.Count("UpdateFunctionCode"); n != 1 || other.CodeSHA256 != after.CodeSHA256 {
		t.Errorf("want no update for a commit that does not touch the folder, got %d, from %+v to %+v", n-1, after,
			other)
	}

	back := git.commit(map[string]string{"checkout/index.py": "def handler(e, c): return 1"})
	e.fetch(source)
	if again := e.deployed(f, back); again.CodeSHA256 != before.CodeSHA256 {
		t.Errorf("want the same CodeSha256 for the same content, got %s, and %s before", again.CodeSHA256,
			before.CodeSHA256)
	}
}

// TestSigned deploys an artifact of a registry that has to be signed, as Flux's cosign sees it.
func TestSigned(t *testing.T) {
	for name, sign := range map[string]func(key *ecdsa.PrivateKey, digest string) (oci.Signature, error){
		"Older": func(key *ecdsa.PrivateKey, digest string) (oci.Signature, error) { return cosign.Sign(key, digest) },
		"Bundle": func(key *ecdsa.PrivateKey, digest string) (oci.Signature, error) {
			return cosign.SignBundle(key, cosign.Statement(digest, oci.PredicateSignature))
		},
	} {
		t.Run(name, func(t *testing.T) { testSigned(t, sign) })
	}
}

func testSigned(t *testing.T, sign func(key *ecdsa.PrivateKey, digest string) (oci.Signature, error)) {
	t.Helper()
	e := newEnv(t)
	e.config(&v1beta1.CodePolicy{RequireVerified: true})
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	public, err := cosign.PublicKey(key)
	must(t, err)
	r := registry.Start()
	t.Cleanup(r.Close)
	e.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "signers"}, Data: map[string][]byte{"shop.pub": public},
	})
	first := e.push(r, "1")
	e.sign(r, key, sign, first)
	source := e.source("OCIRepository", "shop", map[string]any{
		"url": "oci://" + r.Host + "/shop/checkout", "insecure": true, "ref": map[string]any{"tag": "latest"},
		"verify": map[string]any{"provider": "cosign", "secretRef": map[string]any{"name": "signers"}},
	})
	f := e.function("checkout", "OCIRepository", "shop", nil)
	deployed := e.deployed(f, "latest@"+first)
	if deployed.Verified == "" {
		t.Errorf("want status to tell that the artifact is verified, got %+v", deployed)
	}

	// Somebody else pushes to the tag.
	second := e.push(r, "2")
	e.fetch(source)
	e.until("Flux refuses the artifact", func() error {
		if status, message := e.condition(source, "SourceVerified"); status != "False" {
			return fmt.Errorf("SourceVerified is %q: %s", status, message)
		}
		return nil
	})
	e.reconcile(f)
	if d := e.deployed(f, "latest@"+first); d.CodeSHA256 != deployed.CodeSHA256 {
		t.Errorf("want the code that was signed to stay, got %+v, and %+v before", d, deployed)
	}
	if n := e.double.Count("UpdateFunctionCode"); n != 0 {
		t.Errorf("an artifact that nobody signed must not be deployed, got %d updates", n)
	}

	e.sign(r, key, sign, second)
	e.fetch(source)
	e.deployed(f, "latest@"+second)
	if n := e.double.Count("UpdateFunctionCode"); n != 1 {
		t.Errorf("want one update for the signed artifact, got %d", n)
	}

	// A source that verifies nothing.
	created := e.double.Count("CreateFunction")
	e.source("OCIRepository", "open", map[string]any{
		"url": "oci://" + r.Host + "/shop/checkout", "insecure": true, "ref": map[string]any{"tag": "latest"},
	})
	open := e.function("open", "OCIRepository", "open", nil)
	e.until("the Function says that its source is not verified", func() error {
		must(t, e.kube.Get(t.Context(), client.ObjectKeyFromObject(open), open))
		if c := open.GetCondition(xpv2.TypeSynced); !strings.Contains(c.Message, "set its spec.verify") {
			return fmt.Errorf("Synced is %s: %s", c.Status, c.Message)
		}
		return nil
	})
	if n := e.double.Count("CreateFunction") - created; n != 0 {
		t.Errorf("code that is not verified must not be uploaded, got %d functions", n)
	}
}

// push pushes an artifact as `flux push artifact` does, and returns its digest.
func (e *env) push(r *registry.Registry, content string) string {
	e.Helper()
	d, err := r.Push(e.Context(), "shop/checkout", "latest", registry.Manifest{Layers: []registry.Layer{{
		MediaType: "application/vnd.cncf.flux.content.v1.tar+gzip",
		Content:   fluxtest.Pack(e.T, map[string]string{"index.py": "def handler(e, c): return " + content}),
	}}})
	must(e.T, err)
	return d
}

// sign signs an artifact, and checks that the provider's own verification, which code.oci uses, agrees with Flux's.
func (e *env) sign(r *registry.Registry, key *ecdsa.PrivateKey,
	sign func(key *ecdsa.PrivateKey, digest string) (oci.Signature, error), digest string,
) {
	e.Helper()
	s, err := sign(key, digest)
	must(e.T, err)
	must(e.T, cosign.Attach(e.Context(), r, "shop/checkout", digest, s))
	public, err := cosign.PublicKey(key)
	must(e.T, err)
	v, err := verify.WithKeys(public)
	must(e.T, err)
	_, err = v.Verify(digest, []oci.Signature{s})
	must(e.T, err)
}
