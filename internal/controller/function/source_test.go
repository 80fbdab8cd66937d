package function

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/test/fluxtest"
)

// withSource returns an env with a source, and a Function of its folder fn.
func withSource(t testing.TB) (*env, *fluxtest.Source, *v1beta1.Function) {
	t.Helper()
	e := newEnv(t)
	e.source = fluxtest.New(t)
	return e, e.source, testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{SourceRef: fluxtest.Ref("fn")}
	})
}

// TestSourceIsDeployed follows a Function from one artifact to the next, with a restart of the provider.
func TestSourceIsDeployed(t *testing.T) {
	e, source, f := withSource(t)
	source.Publish(t, "main@sha1:1", map[string]string{"fn/index.py": "1", "other/index.py": "1"})
	if diff := cmp.Diff([]string{"CreateFunction"}, e.Converge(f)); diff != "" {
		t.Errorf("the artifact is deployed: -want, +got:\n%s", diff)
	}
	first := f.Status.AtProvider.DeployedCode
	if first == nil || first.Revision != "main@sha1:1" ||
		!strings.HasPrefix(first.Source, "GitRepository/app//fn#sha256:") {
		t.Errorf("status must say which revision is deployed, got %+v", first)
	}
	steady := func(why string, downloads int) {
		t.Helper()
		if calls := e.Converge(f); len(calls) > 0 || source.Downloads() != downloads {
			t.Errorf("%s: got %v and %d downloads, want %d", why, calls, source.Downloads(), downloads)
		}
	}
	steady("nothing is downloaded again", 1)
	source.Store, e.memory = fluxtest.New(t).Store, newRecords()
	steady("not even after a restart", 1)

	source.Publish(t, "main@sha1:2", map[string]string{"fn/index.py": "2", "other/index.py": "1"})
	if diff := cmp.Diff([]string{"UpdateFunctionCode"}, e.Converge(f)); diff != "" {
		t.Errorf("a new artifact is deployed: -want, +got:\n%s", diff)
	}
	if got := f.Status.AtProvider.DeployedCode; got.Revision != "main@sha1:2" || got.CodeSHA256 == first.CodeSHA256 {
		t.Errorf("got %+v after %+v", got, first)
	}
	second := f.Status.AtProvider.DeployedCode.CodeSHA256

	source.Publish(t, "main@sha1:3", map[string]string{"fn/index.py": "2", "other/index.py": "3"})
	if calls := e.Converge(f); len(calls) > 0 {
		t.Errorf("an artifact with the same code in the folder is not deployed again, got %v", calls)
	}
	if got := f.Status.AtProvider.DeployedCode; got.Revision != "main@sha1:3" || got.CodeSHA256 != second {
		t.Errorf("status must have the present revision, got %+v", got)
	}
	steady("then nothing is downloaded either", 3)

	other, err := archive.Zip(map[string][]byte{"index.py": []byte("by hand")})
	e.Must(err)
	_, err = e.Lambda.UpdateFunctionCode(
		t.Context(),
		&lambda.UpdateFunctionCodeInput{FunctionName: ptr.To("f"), ZipFile: other},
	)
	e.Must(err)
	if diff := cmp.Diff([]string{"UpdateFunctionCode"}, e.Converge(f)); diff != "" {
		t.Errorf("code that was deployed by hand is replaced: -want, +got:\n%s", diff)
	}
}

// TestSourceChangesAreDescribed checks that the event of a new artifact has the old and the new revision.
func TestSourceChangesAreDescribed(t *testing.T) {
	e, source, f := withSource(t)
	source.Publish(t, "main@sha1:1", map[string]string{"fn/index.py": "1"})
	e.Converge(f)
	source.Publish(t, "main@sha1:2", map[string]string{"fn/index.py": "2"})
	if _, err := e.Do(f); err != nil {
		t.Fatal(err)
	}
	if got := e.Done.Does; !strings.Contains(got, "main@sha1:1") || !strings.Contains(got, "main@sha1:2") {
		t.Errorf("got %q", got)
	}
}

// TestRevisionOfVersions checks that a version tells the revision of its code, if the user asks for it.
func TestRevisionOfVersions(t *testing.T) {
	e, source, f := withSource(t)
	f.Spec.ForProvider.Publish, f.Spec.ForProvider.PublishRevision = ptr.To(true), ptr.To(true)
	f.Spec.ForProvider.Description = ptr.To("the checkout")
	for i, revision := range []string{"main@sha1:1", "main@sha1:2"} {
		source.Publish(t, revision, map[string]string{"fn/index.py": revision})
		e.Converge(f)
		out, err := e.Lambda.GetFunction(
			t.Context(),
			&lambda.GetFunctionInput{FunctionName: ptr.To("f"), Qualifier: ptr.To(fmt.Sprint(i + 1))},
		)
		e.Must(err)
		if got := ptr.Deref(out.Configuration.Description, ""); got != revision {
			t.Errorf("version %d has the description %q, want %q", i+1, got, revision)
		}
	}
	out, err := e.Lambda.GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: ptr.To("f")})
	e.Must(err)
	if got := ptr.Deref(out.Configuration.Description, ""); got != "the checkout" {
		t.Errorf("the function has the description %q", got)
	}
}

// TestPublishedCode checks that status keeps the revision and the signer of each version's code, with and without a
// limited history.
func TestPublishedCode(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*v1beta1.Function)
		want   []v1beta1.PublishedCode
	}{
		"WithTheCode": {
			reason: "Versions are published by the calls that deploy the code.",
			change: func(*v1beta1.Function) {},
			want: []v1beta1.PublishedCode{
				{Version: "2", Revision: "main@sha1:2"},
				{Version: "1", Revision: "main@sha1:1"},
			},
		},
		"Separately": {
			reason: "Versions of a limited history are published by a call of their own.",
			change: func(f *v1beta1.Function) { f.Spec.ForProvider.HistoryLimit = ptr.To[int32](5) },
			want: []v1beta1.PublishedCode{
				{Version: "2", Revision: "main@sha1:2"},
				{Version: "1", Revision: "main@sha1:1"},
			},
		},
		"OfNoSource": {
			reason: "Inline code has no revision.",
			change: func(f *v1beta1.Function) {
				f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "1"}}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, source, f := withSource(t)
			f.Spec.ForProvider.Publish = ptr.To(true)
			tc.change(f)
			for _, p := range []struct{ revision, code string }{
				{"main@sha1:1", "1"}, {"main@sha1:2", "2"}, {"main@sha1:3", "2"},
			} {
				source.Publish(t, p.revision, map[string]string{"fn/index.py": p.code})
				e.Converge(f)
			}
			if diff := cmp.Diff(tc.want, f.Status.AtProvider.PublishedCode); diff != "" {
				t.Errorf("%s The third revision has the code of the second one. -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHostileSources checks that none of what a source may do to the provider reaches AWS.
func TestHostileSources(t *testing.T) {
	archive := fluxtest.Pack(t, map[string]string{"fn/index.py": "1"})
	sum := sha256.Sum256(archive)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	cases := map[string]struct {
		reason string
		change func(artifact map[string]any) []byte
		want   string
	}{
		"Digest": {
			reason: "Bytes that do not match the digest are not deployed.", want: "nothing is deployed",
			change: func(a map[string]any) []byte { a["digest"] = "sha256:" + strings.Repeat("0", 64); return archive },
		},
		"Truncated": {
			reason: "A part of an artifact is not deployed.", want: "nothing is deployed",
			change: func(map[string]any) []byte { return archive[:len(archive)/2] },
		},
		"Longer": {
			reason: "An artifact that is longer than the status says is not deployed.", want: "larger than",
			change: func(a map[string]any) []byte { a["size"] = int64(10); return archive },
		},
		"Metadata": {
			reason: "The metadata service is not called.", want: "host 169.254.169.254 is not allowed",
			change: func(a map[string]any) []byte { a["url"] = "http://169.254.169.254/latest"; return archive },
		},
		"Folder": {
			reason: "A folder that is not there is not deployed.", want: `no files in "fn"`,
			change: func(a map[string]any) []byte {
				other := fluxtest.Pack(t, map[string]string{"x": "1"})
				sum := sha256.Sum256(other)
				a["digest"], a["size"] = "sha256:"+hex.EncodeToString(sum[:]), int64(len(other))
				return other
			},
		},
		"None": {
			reason: "A source without an artifact is waited for.", want: "it has no artifact yet",
			change: func(a map[string]any) []byte { clear(a); return archive },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, source, f := withSource(t)
			source.Publish(t, "main", map[string]string{"fn/index.py": "0"})
			url := source.URL()
			e.Converge(f)
			e.Double.ResetCalls()
			a := map[string]any{"url": url, "revision": "evil", "digest": digest, "size": int64(len(archive))}
			body := tc.change(a)
			source.Set(body, a)
			for range 3 {
				_, err := e.Do(f)
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%s\nwant %q, got %v", tc.reason, tc.want, err)
				}
				if got := backoff.Classify(err); name == "Folder" && got != backoff.Ambiguous {
					t.Errorf("only another artifact helps, which may come, got an error that is %s", got)
				}
			}
			if n := e.Double.Count("UpdateFunctionCode"); n > 0 || f.Status.AtProvider.DeployedCode.Revision != "main" {
				t.Errorf("%s\n%d updates, status %+v", tc.reason, n, f.Status.AtProvider.DeployedCode)
			}
		})
	}
}

// TestRequireVerified checks that a config that requires verified code keeps all other code from AWS.
func TestRequireVerified(t *testing.T) {
	cases := map[string]struct {
		reason  string
		code    v1beta1.FunctionCode
		message *string
		except  []string
		want    string
	}{
		"Verified": {
			reason:  "Verified code is deployed.",
			code:    v1beta1.FunctionCode{SourceRef: fluxtest.Ref("fn")},
			message: ptr.To("verified signature of 1 with key 'k'"),
		},
		"Unsigned": {
			reason: "A source without a signature is refused.",
			code:   v1beta1.FunctionCode{SourceRef: fluxtest.Ref("fn")},
			want:   "spec.forProvider.code.sourceRef: the provider config requires verified code",
		},
		"BadlySigned": {
			reason:  "A signature that does not match is refused.",
			code:    v1beta1.FunctionCode{SourceRef: fluxtest.Ref("fn")},
			message: ptr.To(""),
			want:    "SourceVerified is False: signature does not match",
		},
		"Inline": {
			reason: "Code in the manifest is not verified.",
			code:   v1beta1.FunctionCode{Inline: map[string]string{"a": "1"}},
			want:   "spec.forProvider.code.inline: the provider config",
		},
		"InlineExcepted": {
			reason: "An exception allows it.",
			code:   v1beta1.FunctionCode{Inline: map[string]string{"a": "1"}},
			except: []string{"Inline"},
		},
		"S3": {
			reason: "An object in S3 is not verified.",
			code:   v1beta1.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip")},
			want:   "code.s3Key: the provider config",
			except: []string{"Inline"},
		},
		"ConfigMap": {
			reason: "A ConfigMap is not verified.",
			code:   v1beta1.FunctionCode{ConfigMapRef: &v1beta1.LocalObjectReference{Name: "code1"}},
			want:   "code.configMapRef: the provider config",
		},
		"Image": {
			reason: "An image is not verified.",
			code:   v1beta1.FunctionCode{ImageURI: ptr.To("123456789012.dkr.ecr.eu-central-1.amazonaws.com/repo:1")},
			want:   "code.imageUri: the provider config",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, source, f := withSource(t)
			source.Publish(t, "main@sha1:1", map[string]string{"fn/index.py": "1"})
			if tc.message != nil {
				source.Verify(*tc.message)
			}
			e.code = v1beta1.CodePolicy{RequireVerified: true, Unverified: tc.except}
			f.Spec.ForProvider.Code = &tc.code
			if tc.code.ImageURI != nil {
				f.Spec.ForProvider.PackageType, f.Spec.ForProvider.Runtime, f.Spec.ForProvider.Handler = ptr.To(
					"Image",
				), nil, nil
			}
			if tc.want == "" {
				e.Converge(f)
				if e.Double.Count("CreateFunction") != 1 {
					t.Errorf("%s\nit is not created", tc.reason)
				}
				if tc.code.SourceRef != nil && f.Status.AtProvider.DeployedCode.Verified != *tc.message {
					t.Errorf(
						"%s\nstatus must say who has signed it, got %+v",
						tc.reason,
						f.Status.AtProvider.DeployedCode,
					)
				}
				return
			}
			_, err := e.Do(f)
			if err == nil || !strings.Contains(err.Error(), tc.want) || backoff.Classify(err) == backoff.Unclassified {
				t.Errorf("%s\nwant %q, got %v", tc.reason, tc.want, err)
			}
			if n := e.Double.Count("CreateFunction"); n > 0 {
				t.Errorf("%s\n%d creations", tc.reason, n)
			}
			// An existing function is not changed either.
			e.code = v1beta1.CodePolicy{}
			g := testFunction()
			e.Converge(g)
			e.code = v1beta1.CodePolicy{RequireVerified: true, Unverified: tc.except}
			e.Double.ResetCalls()
			if calls := e.Converge(g); len(calls) > 0 {
				t.Errorf("%s\na function whose code does not change is not touched, got %v", tc.reason, calls)
			}
			g.Spec.ForProvider.Code = &tc.code
			g.Generation++
			if _, err := e.Do(g); err == nil && tc.code.ImageURI == nil {
				t.Errorf("%s\nwant an error", tc.reason)
			}
			if n := e.Double.Count("UpdateFunctionCode"); n > 0 {
				t.Errorf("%s\n%d updates", tc.reason, n)
			}
		})
	}
}

// TestRandomSources publishes random artifacts, most of them neither whole nor signed. What reaches AWS is always a
// verified one.
func TestRandomSources(t *testing.T) {
	const artifacts = 1000
	e, source, f := withSource(t)
	e.code = v1beta1.CodePolicy{RequireVerified: true}
	source.Publish(t, "0", map[string]string{"fn/index.py": "0"})
	source.Verify("signed 0")
	e.Converge(f)
	r := rand.New(rand.NewPCG(3, 4))
	deployed := 0
	for i := range artifacts {
		revision := fmt.Sprint(i + 1)
		archive := fluxtest.Pack(t, map[string]string{"fn/index.py": revision})
		sum := sha256.Sum256(archive)
		a := map[string]any{
			"url":      source.URL(),
			"revision": revision,
			"digest":   "sha256:" + hex.EncodeToString(sum[:]),
			"size":     int64(len(archive)),
		}
		good := true
		for range r.IntN(3) {
			good = false
			switch r.IntN(4) {
			case 0:
				archive = archive[:r.IntN(len(archive))]
			case 1:
				at := r.IntN(len(archive) + 1)
				archive = append(archive[:at:at], byte(r.IntN(256))) //nolint:gosec // A test.
			case 2:
				a["digest"] = fmt.Sprintf("sha256:%064d", r.Uint64())
			case 3:
				a["url"] = "http://10.0.0.1/" + revision
			}
		}
		source.Set(archive, a)
		signed := r.IntN(2) == 0
		if source.Verify(""); signed {
			source.Verify("signed " + revision)
		}
		before := f.Status.AtProvider.DeployedCode.Revision
		for range 3 {
			_, _ = e.Do(f) // The status says what was deployed.
			e.Advance(2 * time.Second)
		}
		got := f.Status.AtProvider.DeployedCode
		if want := good && signed; (got.Revision == revision) != want || !want && got.Revision != before {
			t.Fatalf("artifact %s, whole %t, signed %t: status has %+v", revision, good, signed, got)
		}
		if good && signed {
			deployed++
		}
	}
	if n := e.Double.Count("UpdateFunctionCode"); n != deployed || deployed == 0 {
		t.Errorf("%d updates, want %d", n, deployed)
	}
}

// TestSlowSource checks that a source that is slow leaves no trace, neither at the creation nor when a function that
// exists is adopted.
func TestSlowSource(t *testing.T) {
	for name, adopt := range map[string]bool{"Create": false, "Adopt": true} {
		t.Run(name, func(t *testing.T) {
			e, source, f := withSource(t)
			source.Publish(t, "main@sha1:1", map[string]string{"fn/index.py": "1"})
			if adopt {
				e.Converge(f)
				f.Status.AtProvider.DeployedCode = nil
			}
			send := source.Stall(t)
			if _, aborted, err := e.Attempt(f); err != nil || !aborted {
				t.Errorf("a reconcile that waits for a download is repeated, got %t, %v", aborted, err)
			}
			send()
			e.Converge(f)
			if got := f.Status.AtProvider.DeployedCode; got == nil || got.Revision != "main@sha1:1" {
				t.Errorf("got %+v", got)
			}
		})
	}
}
