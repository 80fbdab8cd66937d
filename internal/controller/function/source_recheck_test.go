package function

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

// trust sets the public keys of the ConfigMap that byKey names.
func (e *ociEnv) trust(keys string) {
	e.objects[refs.ObjectRef{Kind: refs.ConfigMap, Namespace: "ns", Name: "keys"}] = refs.ObjectData{
		"pub": []byte(keys),
	}
}

// TestDeployedCodeIsVerifiedAgain changes who has to have signed an artifact after it was deployed. What AWS has is
// judged again, once, and stays in any case.
func TestDeployedCodeIsVerifiedAgain(t *testing.T) {
	mine, public := newSigner(t)
	_, otherPublic := newSigner(t)
	demand := func(keys *string) v1beta1.CodePolicy {
		p := v1beta1.CodePolicy{RequireVerified: true}
		if keys != nil {
			p.Cosign = &v1beta1.CosignSigners{PublicKeys: keys}
		}
		return p
	}
	cases := map[string]struct {
		reason   string
		unsigned bool
		before   func(e *ociEnv)
		after    func(e *ociEnv)
		want     string
		verified bool
	}{
		"Unchanged": {
			reason: "Nothing is asked of the registry while nobody changes who has to have signed.",
			before: func(e *ociEnv) { e.spec().Verify = byKey() }, after: func(*ociEnv) {}, verified: true,
		},
		"KeyReplaced": {
			reason: "A key that is replaced is not trusted any more.",
			before: func(e *ociEnv) { e.spec().Verify = byKey() }, after: func(e *ociEnv) { e.trust(otherPublic) },
			want: "is not verified now: no signature is trusted",
		},
		"KeyAdded": {
			reason:   "A key that is added changes nothing for what the first one has signed.",
			verified: true,
			before:   func(e *ociEnv) { e.spec().Verify = byKey() },
			after:    func(e *ociEnv) { e.trust(otherPublic + public) },
		},
		"KeyDeleted": {
			reason: "A key that is deleted is named, and nobody knows whether the code is verified.", verified: true,
			before: func(e *ociEnv) { e.spec().Verify = byKey() }, want: "ConfigMap ns/keys does not exist",
			after: func(e *ociEnv) {
				delete(e.objects, refs.ObjectRef{Kind: refs.ConfigMap, Namespace: "ns", Name: "keys"})
			},
		},
		"VerifyAdded": {
			reason: "Code that was deployed without verification is verified once the spec demands it.", verified: true,
			before: func(*ociEnv) {}, after: func(e *ociEnv) { e.spec().Verify = byKey() },
		},
		"VerifyAddedUnsigned": {
			reason: "Code without a signature is found once the spec demands one.", unsigned: true,
			before: func(*ociEnv) {}, after: func(e *ociEnv) { e.spec().Verify = byKey() },
			want: "is not verified now: it has no signature of cosign",
		},
		"VerifyRemoved": {
			reason: "Without a demand, nothing is verified, and what was is still true.", verified: true,
			before: func(e *ociEnv) { e.spec().Verify = byKey() }, after: func(e *ociEnv) { e.spec().Verify = nil },
		},
		"ConfigDemands": {
			reason: "The config's signer has signed it.", verified: true,
			before: func(*ociEnv) {}, after: func(e *ociEnv) { e.code = demand(&public) },
		},
		"ConfigDemandsAnother": {
			reason: "The signer whom the resource names is not the one whom the config demands.",
			before: func(e *ociEnv) { e.spec().Verify = byKey() },
			after:  func(e *ociEnv) { e.code = demand(&otherPublic) },
			want:   "requires verified code (spec.code.requireVerified)",
		},
		"ConfigTrustsNobody": {
			reason: "A config that demands signatures and names nobody trusts nobody.",
			before: func(e *ociEnv) { e.spec().Verify = byKey() }, after: func(e *ociEnv) { e.code = demand(nil) },
			want: "(spec.code.cosign)",
		},
		"ConfigReplacesKey": {
			reason: "A key that the config replaces is not trusted any more.",
			before: func(e *ociEnv) { e.code = demand(&public) },
			after:  func(e *ociEnv) { e.code = demand(&otherPublic) },
			want:   "is not verified now: ",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newOCIEnv(t)
			e.trust(public)
			tc.before(e)
			digest := e.push("v1", "1")
			if !tc.unsigned {
				e.sign(mine, digest, digest)
			}
			e.Converge(e.f)
			e.registry.Requests()
			e.Double.ResetCalls()
			tc.after(e)
			e.f.Generation++
			_, err := e.Do(e.f)
			if got := e.f.Status.AtProvider.DeployedCode; (got.Verified != "") != tc.verified || got.CodeSHA256 == "" {
				t.Errorf("%s\nstatus says whether it is verified, got %+v", tc.reason, got)
			}
			asked := e.registry.Requests()
			for _, r := range asked {
				if strings.Contains(r, "/blobs/"+digest) || strings.HasSuffix(r, "/manifests/v1") {
					t.Errorf("%s\nneither the tag nor the archive is asked for again, got %v", tc.reason, asked)
				}
			}
			if tc.want == "" {
				if err != nil {
					t.Fatalf("%s\ngot %v", tc.reason, err)
				}
				if calls, again := e.Converge(e.f), e.registry.Requests(); len(calls)+len(again) > 0 {
					t.Errorf("%s\nit is judged once, got %v and %v", tc.reason, calls, again)
				}
				return
			}
			for range 2 {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Fatalf("%s\nwant %q, got %v", tc.reason, tc.want, err)
				}
				_, err = e.Do(e.f)
			}
			if n := e.Double.Count("UpdateFunctionCode"); n > 0 {
				t.Errorf("%s\nthe code in AWS stays, got %d updates", tc.reason, n)
			}
		})
	}
}

// TestUnverifiedCodeIsNotPublished checks what is still done for a function whose code is not verified any more, and
// that all is well once the artifact is signed by the new key, or the old key is trusted again.
func TestUnverifiedCodeIsNotPublished(t *testing.T) {
	mine, public := newSigner(t)
	other, otherPublic := newSigner(t)
	for name, mend := range map[string]func(e *ociEnv, digest string){
		"SignedAgain":  func(e *ociEnv, digest string) { e.sign(other, digest, digest) },
		"TrustedAgain": func(e *ociEnv, _ string) { e.trust(public) },
		"NotDemanded":  func(e *ociEnv, _ string) { e.spec().Verify = nil },
	} {
		t.Run(name, func(t *testing.T) {
			e := newOCIEnv(t)
			e.trust(public)
			e.spec().Verify = byKey()
			e.f.Spec.ForProvider.Publish = ptr.To(true)
			digest := e.push("v1", "1")
			e.sign(mine, digest, digest)
			e.Converge(e.f)
			e.trust(otherPublic)
			e.Double.ResetCalls()
			e.f.Spec.ForProvider.Timeout = ptr.To[int32](7)
			e.f.Generation++
			var err error
			for range 5 {
				_, err = e.Do(e.f)
				e.Advance(2e9)
			}
			if err == nil || !strings.Contains(err.Error(), "is not verified now") {
				t.Errorf("got %v", err)
			}
			if got := e.Double.Count("UpdateFunctionConfiguration"); got != 1 {
				t.Errorf("another change is made, got %d calls", got)
			}
			if got := e.Double.Count("PublishVersion"); got != 0 {
				t.Errorf("no version of the code is published, got %d", got)
			}
			mend(e, digest)
			e.f.Generation++
			e.Converge(e.f)
			if got := e.Double.Count("PublishVersion"); got != 1 {
				t.Errorf("then the version is published, got %d", got)
			}
		})
	}
}

// TestUnverifiedSourceIsTold checks that code of a Flux source that nobody has verified is told once a config demands
// it, and that a verification counts although the source is fetching the next revision.
func TestUnverifiedSourceIsTold(t *testing.T) {
	e, source, f := withSource(t)
	source.Publish(t, "main@sha1:1", map[string]string{"fn/index.py": "1"})
	e.Converge(f)
	e.code = v1beta1.CodePolicy{RequireVerified: true}
	if _, err := e.Do(f); err == nil || !strings.Contains(err.Error(), "it has no condition SourceVerified") {
		t.Errorf("got %v", err)
	}
	source.Verify("verified signature of 1")
	e.Converge(f)
	source.Verify("")
	e.Converge(f)
	if got := f.Status.AtProvider.DeployedCode.Verified; got != "verified signature of 1" {
		t.Errorf("got %q", got)
	}
}
