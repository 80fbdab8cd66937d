package function

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/test/cosign"
	"github.com/crossplane-contrib/provider-lambda/internal/test/fluxtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/registry"
)

// An ociEnv has a registry, and a Function of its artifact shop:v1.
type ociEnv struct {
	*env

	registry *registry.Registry
	f        *v1beta1.Function
}

func newOCIEnv(t *testing.T) *ociEnv {
	t.Helper()
	e := &ociEnv{env: newEnv(t), registry: registry.Start()}
	t.Cleanup(e.registry.Close)
	e.source = fluxtest.New(t)
	hosts := egress.Hosts{Flag: "--source-host", Allowed: []string{"127.0.0.1"}, Public: true, Loopback: true}
	e.registries = oci.New(oci.Options{Hosts: hosts, PlainLoopback: true})
	e.f = testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{
			OCI: &v1beta1.OCISource{Reference: e.registry.Host + "/shop:v1"},
		}
	})
	return e
}

// push pushes an artifact with a file, and returns its digest.
func (e *ociEnv) push(tag, content string) string {
	e.Helper()
	d, err := e.registry.Push(e.Context(), "shop", tag, registry.Manifest{
		Annotations: map[string]string{"org.opencontainers.image.revision": "main@sha1:" + content},
		Layers: []registry.Layer{{
			MediaType: "application/vnd.cncf.flux.content.v1.tar+gzip",
			Content:   fluxtest.Pack(e, map[string]string{"index.py": content}),
		}},
	})
	e.Must(err)
	e.registry.Requests()
	return d
}

func (e *ociEnv) spec() *v1beta1.OCISource { return e.f.Spec.ForProvider.Code.OCI }

func newSigner(t testing.TB) (crypto.Signer, string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public, err := cosign.PublicKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return k, string(public)
}

func (e *ociEnv) sign(k crypto.Signer, signed, attachedTo string) {
	e.Helper()
	s, err := cosign.Sign(k, signed)
	e.Must(err)
	e.Must(cosign.Attach(e.Context(), e.registry, "shop", attachedTo, s))
	e.registry.Requests()
}

// TestOCIIsDeployed follows a Function of a tag, without and with trackTag.
func TestOCIIsDeployed(t *testing.T) {
	e := newOCIEnv(t)
	digest := e.push("v1", "1")
	if diff := cmp.Diff([]string{"CreateFunction"}, e.Converge(e.f)); diff != "" {
		t.Errorf("the artifact is deployed: -want, +got:\n%s", diff)
	}
	want := &v1beta1.DeployedCode{
		Source:   "oci://" + e.registry.Host + "/shop:v1#" + digest,
		Revision: "main@sha1:1", CodeSHA256: ptr.Deref(e.f.Status.AtProvider.CodeSHA256, ""),
	}
	if diff := cmp.Diff(want, e.f.Status.AtProvider.DeployedCode); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	e.registry.Requests()
	e.push("v1", "2")
	if calls := e.Converge(e.f); len(calls) > 0 || len(e.registry.Requests()) > 0 {
		t.Errorf("without trackTag, the registry is not called again, got %v", calls)
	}
	e.spec().TrackTag = ptr.To(true)
	e.f.Generation++
	if diff := cmp.Diff([]string{"UpdateFunctionCode"}, e.Converge(e.f)); diff != "" {
		t.Errorf("with trackTag, a tag that has moved is deployed: -want, +got:\n%s", diff)
	}
	if got := e.f.Status.AtProvider.DeployedCode.Revision; got != "main@sha1:2" {
		t.Errorf("got %s", got)
	}
	e.registry.Requests()
	for range 3 {
		e.Advance(time.Minute)
		if _, err := e.Do(e.f); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"HEAD /v2/shop/manifests/v1"}, e.registry.Requests()); diff != "" {
			t.Errorf("a poll is one HEAD: -want, +got:\n%s", diff)
		}
	}
	e.spec().Reference, e.spec().TrackTag = e.registry.Host+"/shop@"+digest, nil
	e.f.Generation++
	if diff := cmp.Diff([]string{"UpdateFunctionCode"}, e.Converge(e.f)); diff != "" {
		t.Errorf("a digest is deployed: -want, +got:\n%s", diff)
	}
	if got := e.f.Status.AtProvider.DeployedCode.Revision; got != "main@sha1:1" {
		t.Errorf("got %s", got)
	}
}

// TestRetryOfArtifact checks that code that AWS has refused asynchronously is downloaded and verified anew when it is
// sent again.
func TestRetryOfArtifact(t *testing.T) {
	e := newOCIEnv(t)
	k, public := newSigner(t)
	e.code = v1beta1.CodePolicy{RequireVerified: true, Cosign: &v1beta1.CosignSigners{PublicKeys: &public}}
	digest := e.push("v1", "1")
	e.sign(k, digest, digest)
	e.Converge(e.f)
	digest = e.push("v2", "2")
	e.sign(k, digest, digest)
	e.spec().Reference = e.registry.Host + "/shop:v2"
	e.f.Generation++
	e.Double.FailUpdate("f", "The archive cannot be unzipped.", "InvalidZipFileException")
	for range 3 {
		if _, err := e.Step(e.f); err != nil {
			t.Fatal(err)
		}
		e.Advance(2 * time.Second)
	}
	if n := e.Double.Count("UpdateFunctionCode"); n != 1 {
		t.Fatalf("%d updates", n)
	}
	e.Advance(10 * time.Minute)
	if diff := cmp.Diff([]string{"UpdateFunctionCode"}, e.Converge(e.f)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if c := e.f.Status.AtProvider.DeployedCode; c.Verified == "" || c.Revision != "main@sha1:2" {
		t.Errorf("got %+v", c)
	}
}

// TestManifestAsArtifact checks that a Flux source whose artifact is the manifest of an artifact in a registry, and so
// has its digest, does not put the manifest in the place of the code.
func TestManifestAsArtifact(t *testing.T) {
	e := newOCIEnv(t)
	digest := e.push("v1", "1")
	res, err := http.Get("http://" + e.registry.Host + "/v2/shop/manifests/" + digest) //nolint:noctx // A test.
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	manifest, err := io.ReadAll(res.Body)
	e.Must(err)
	e.source.Set(manifest, map[string]any{"url": e.source.URL(), "revision": "r", "digest": digest})
	f := testFunction(func(f *v1beta1.Function) {
		f.Name, f.Spec.ForProvider.Code = "hostile", &v1beta1.FunctionCode{SourceRef: fluxtest.Ref("")}
		f.Spec.ForProvider.Code.SourceRef.Path = nil
	})
	if _, err := e.Do(f); err == nil || !strings.Contains(err.Error(), "not a valid .tar") {
		t.Errorf("a manifest is no archive, got %v", err)
	}
	if diff := cmp.Diff([]string{"CreateFunction"}, e.Converge(e.f)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestMovingTag has a tag that moves between its look-up and the download.
func TestMovingTag(t *testing.T) {
	e := newOCIEnv(t)
	k, public := newSigner(t)
	e.objects[refs.ObjectRef{Kind: refs.ConfigMap, Namespace: "ns", Name: "keys"}] = refs.ObjectData{
		"pub": []byte(public),
	}
	e.spec().Verify = byKey()
	digest := e.push("v1", "good")
	e.sign(k, digest, digest)
	moved := false
	e.registry.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && !moved {
			moved = true
			e.push("v1", "evil")
		}
		return false
	})
	e.Converge(e.f)
	if got := e.f.Status.AtProvider.DeployedCode; !moved || !strings.HasSuffix(got.Source, digest) ||
		got.Revision != "main@sha1:good" {
		t.Errorf("what was looked up and signed is deployed, got %+v", got)
	}
}

func byKey() *v1beta1.OCIVerification {
	return &v1beta1.OCIVerification{Cosign: v1beta1.CosignVerification{KeyRef: &v1beta1.KeySource{
		ConfigMapKeyRef: &v1beta1.KeySelector{Name: "keys", Key: "pub"},
	}}}
}

// TestOCIVerification has signatures of all kinds, and who demands them.
func TestOCIVerification(t *testing.T) {
	mine, public := newSigner(t)
	other, otherPublic := newSigner(t)
	sigstore, err := cosign.NewSigstore()
	if err != nil {
		t.Fatal(err)
	}
	root, err := sigstore.TrustedRoot(cosign.Log)
	if err != nil {
		t.Fatal(err)
	}
	const issuer, subject = "https://issuer.example.org", "ci@example.org"
	config := v1beta1.CodePolicy{RequireVerified: true, Cosign: &v1beta1.CosignSigners{PublicKeys: &public}}
	keyless := v1beta1.CodePolicy{RequireVerified: true, Cosign: &v1beta1.CosignSigners{
		Identities: []v1beta1.CosignIdentity{
			{Issuer: issuer, Subject: ptr.To(subject)},
		},
		TrustedRoot: ptr.To(string(root)),
	}}
	cases := map[string]struct {
		reason string
		verify *v1beta1.OCIVerification
		keys   string
		code   v1beta1.CodePolicy
		sign   func(e *ociEnv, digest string)
		want   string
	}{
		"Key": {
			reason: "A signature of the key is enough.", verify: byKey(), keys: public,
			sign: func(e *ociEnv, d string) { e.sign(mine, d, d) },
		},
		"Config": {
			reason: "The config may name the key.", code: config,
			sign: func(e *ociEnv, d string) { e.sign(mine, d, d) },
		},
		"Keyless": {
			reason: "The config may name an identity.", code: keyless,
			sign: func(e *ociEnv, d string) { e.signKeyless(sigstore, subject, issuer, d) },
		},
		"OtherIdentity": {
			reason: "Another identity of the same Sigstore is refused.", code: keyless, want: "no signature is trusted",
			sign: func(e *ociEnv, d string) { e.signKeyless(sigstore, "mallory@example.org", issuer, d) },
		},
		"NotRequired": {
			reason: "The signers of the resource count if the config names others and requires none.",
			verify: byKey(),
			keys:   public,
			code:   v1beta1.CodePolicy{Cosign: &v1beta1.CosignSigners{PublicKeys: &otherPublic}},
			sign:   func(e *ociEnv, d string) { e.sign(mine, d, d) },
		},
		"Claimed": {
			reason: "A status that claims that it was deployed and verified is not believed.",
			code:   config,
			want:   "no signature is trusted",
			sign: func(e *ociEnv, d string) {
				e.sign(other, d, d)
				e.f.Status.AtProvider.DeployedCode = &v1beta1.DeployedCode{
					Source: "oci://" + e.spec().Reference + "#" + d, CodeSHA256: "A=", Verified: "key",
				}
			},
		},
		"Unsigned": {
			reason: "Without a signature, nothing is deployed.",
			verify: byKey(),
			keys:   public,
			want:   "it has no signature of cosign",
		},
		"UnsignedConfig": {reason: "The config may demand it.", code: config, want: "it has no signature of cosign"},
		"OtherKey": {
			reason: "A signature of another key is refused.",
			verify: byKey(),
			keys:   public,
			want:   "no signature is trusted",
			sign:   func(e *ociEnv, d string) { e.sign(other, d, d) },
		},
		"ReplacedKey": {
			reason: "Once the key is replaced, its signatures are refused.", verify: byKey(), keys: otherPublic,
			sign: func(e *ociEnv, d string) { e.sign(mine, d, d) }, want: "no signature is trusted",
		},
		"OtherArtifact": {
			reason: "The signature of another artifact is refused.",
			verify: byKey(),
			keys:   public,
			want:   "no signature is trusted",
			sign:   func(e *ociEnv, d string) { e.sign(mine, "sha256:"+strings.Repeat("0", 64), d) },
		},
		"OwnKey": {
			reason: "A key that the resource names is not what the config requires.",
			verify: byKey(),
			keys:   otherPublic,
			code:   config,
			sign:   func(e *ociEnv, d string) { e.sign(other, d, d) },
			want:   "requires verified code",
		},
		"NoSigners": {
			reason: "A config that requires verified code and names nobody trusts nobody.",
			verify: byKey(),
			keys:   public,
			code:   v1beta1.CodePolicy{RequireVerified: true},
			want:   "(spec.code.cosign)",
			sign:   func(e *ociEnv, d string) { e.sign(mine, d, d) },
		},
		"NoKey": {reason: "A missing key is named.", verify: byKey(), want: "ConfigMap ns/keys does not exist"},
		"BadKey": {
			reason: "A key that is none is told.",
			verify: byKey(),
			keys:   "text",
			want:   "cannot use spec.forProvider.code.oci.verify",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newOCIEnv(t)
			e.code = tc.code
			if tc.keys != "" {
				e.objects[refs.ObjectRef{Kind: refs.ConfigMap, Namespace: "ns", Name: "keys"}] = refs.ObjectData{
					"pub": []byte(tc.keys),
				}
			}
			e.spec().Verify = tc.verify
			digest := e.push("v1", "1")
			if tc.sign != nil {
				tc.sign(e, digest)
			}
			if tc.want == "" {
				e.Converge(e.f)
				if got := e.f.Status.AtProvider.DeployedCode; got == nil || got.Verified == "" {
					t.Errorf("%s\nstatus must say who has signed it, got %+v", tc.reason, got)
				}
				return
			}
			for range 2 {
				_, err := e.Do(e.f)
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%s\nwant %q, got %v", tc.reason, tc.want, err)
				}
				if got := backoff.Classify(err); got != backoff.Ambiguous {
					t.Errorf("%s\na signature or a key may come, got an error that is %s", tc.reason, got)
				}
			}
			if n := e.Double.Count("CreateFunction"); n > 0 {
				t.Errorf("%s\n%d creations", tc.reason, n)
			}
		})
	}
}

func (e *ociEnv) signKeyless(s *cosign.Sigstore, subject, issuer, digest string) {
	e.Helper()
	sig, err := s.Sign(subject, issuer, digest, time.Now())
	e.Must(err)
	e.Must(cosign.Attach(e.Context(), e.registry, "shop", digest, sig))
	e.registry.Requests()
}

// TestPullSecret checks that a missing pull secret is named.
func TestPullSecret(t *testing.T) {
	e := newOCIEnv(t)
	e.push("v1", "1")
	e.spec().PullSecretRefs = []v1beta1.LocalObjectReference{{Name: "regcred"}}
	if _, err := e.Do(e.f); err == nil || !strings.Contains(err.Error(), "Secret ns/regcred does not exist") {
		t.Errorf("got %v", err)
	}
	e.objects[refs.SecretOf("ns", "regcred")] = refs.ObjectData{
		".dockerconfigjson": []byte(`{"auths":{"` + e.registry.Host + `":{"auth":"bWU6aHVudGVyMg=="}}}`),
	}
	e.Converge(e.f)
	if e.Double.Count("CreateFunction") != 1 {
		t.Error("the function is not created")
	}
}

// TestRegistriesInside checks that a registry is not called at an address of the cluster or of the node.
func TestRegistriesInside(t *testing.T) {
	e := newOCIEnv(t)
	for host, want := range map[string]string{
		"169.254.169.254": "loopback, link-local or reserved", "10.0.0.7:5000": "--source-host=10.0.0.7",
		"localhost:1": "loopback",
	} {
		e.spec().Reference = host + "/shop:v1"
		if _, err := e.Do(e.f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", host, want, err)
		}
	}
}
