package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/store"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

// registry finds the digest of an artifact in a registry: that of the reference, that which was deployed last, or that
// of the tag (one HEAD request), which resources of a namespace share in a poll. It downloads nothing.
func (f Finder) registry(ctx context.Context, namespace string, b Bundle, last *v1beta1.DeployedCode) (Bundle, error) {
	b.Artifact = &Artifact{namespace: namespace, Unverified: "its signature was not checked"}
	if _, digest, ok := strings.Cut(b.From.OCI.Reference, "@"); ok {
		b.Version = digest
		return b, nil
	}
	if last != nil {
		version, ok := versionAt(b.Location(), last.Source)
		if ok && version != "" && (!b.From.Tracks() || f.OCI == nil) {
			b.Version = version
			return b, nil
		}
	}
	if f.OCI == nil {
		return b, nil
	}
	var err error
	b.Version, err = f.tag(ctx, namespace, b)
	return b, errors.Wrapf(err, "cannot use %s", b.From.artifactField())
}

// tag returns the digest of a tag, or what another resource has read, if that may be so old that this is a poll.
func (f Finder) tag(ctx context.Context, namespace string, b Bundle) (string, error) {
	read := func(ctx context.Context) (string, error) {
		auth, err := f.auth(ctx, namespace, b.From)
		if err != nil {
			return "", err
		}
		return f.OCI.Digest(ctx, b.From.OCI.Reference, auth)
	}
	if f.Hashes == nil || f.Fresh.Now.Sub(f.Fresh.Since) < minSharedAge {
		return read(ctx)
	}
	of := []string{namespace, b.From.OCI.Reference}
	for _, s := range b.From.OCI.PullSecretRefs {
		of = append(of, s.Name)
	}
	k := readcache.Key{Operation: "oci.Digest", Of: strings.Join(of, "\n")}
	return readcache.Read(ctx, f.Hashes, k, f.Fresh, read)
}

// auth returns the credentials for the registry of a source.
func (f Finder) auth(ctx context.Context, namespace string, s Source) (oci.Auth, error) {
	a := oci.Auth{ECR: f.ECR}
	for _, r := range s.OCI.PullSecretRefs {
		ref, key := refs.SecretOf(namespace, r.Name), ".dockerconfigjson"
		text, err := refs.Value(ctx, f.Objects, ref, key)
		if err != nil {
			return a, errors.Wrap(err, "cannot read pullSecretRefs")
		}
		p, err := oci.ParsePullSecret(text)
		if err != nil {
			return a, errors.Wrapf(err, "cannot use key %s of Secret %s", key, r.Name)
		}
		a.PullSecrets = append(a.PullSecrets, p)
	}
	return a, nil
}

// fetch returns the bundle of an artifact in a registry with what its manifest says, and who has signed it. It reads
// the manifest and the signatures, and not the layer.
func (f Finder) fetch(ctx context.Context, b Bundle) (Bundle, error) {
	auth, err := f.auth(ctx, b.Artifact.namespace, b.From)
	if err != nil {
		return b, err
	}
	m, err := f.OCI.Fetch(ctx, b.From.OCI.Reference, b.Version, auth)
	if err != nil {
		return b, err
	}
	a := *b.Artifact
	a.Revision = m.Revision
	a.content = store.Artifact{
		// The digest is that of the manifest, and a Flux source may have the manifest itself as its artifact.
		Namespace: a.namespace, Digest: "layer of " + b.Version,
		Fetch: func(ctx context.Context, w io.Writer) error { return download(ctx, m, w) },
	}
	if a.policy, err = f.policy(ctx, b); err != nil {
		return b, err
	}
	v, err := f.verify(ctx, b, auth)
	if err == nil && v.refused != nil {
		err = errors.Wrapf(v.refused, "the artifact %s is not deployed", b.Version)
	}
	a.Verified, a.Unverified = v.verified, v.unverified
	b.Artifact = &a
	return b, err
}

func download(ctx context.Context, a oci.Artifact, w io.Writer) error {
	body, err := a.Open(ctx)
	if err != nil {
		return err
	}
	defer body.Close() //nolint:errcheck // Nothing is written.
	_, err = io.Copy(w, body)
	return err
}

// policy returns a hash of who has to have signed an artifact in a registry, with the keys that the resource refers to.
// It is empty if nobody has to, for other sources, and in a plan.
func (f Finder) policy(ctx context.Context, b Bundle) (string, error) {
	if b.From.OCI == nil || f.OCI == nil {
		return "", nil
	}
	own := b.From.OCI.Verify
	if own == nil && f.Code.Cosign == nil && !f.Code.RequireVerified {
		return "", nil
	}
	all := struct {
		Own    *v1beta1.OCIVerification `json:"own"`
		Key    []byte                   `json:"key"`
		Config *v1beta1.CosignSigners   `json:"config"`
		Must   bool                     `json:"must"`
	}{own, nil, f.Code.Cosign, f.Code.RequireVerified}
	if own != nil {
		var err error
		if all.Key, err = f.trusted(ctx, b.Artifact.namespace, own.Cosign); err != nil {
			return "", errors.Wrapf(err, "cannot use %s.verify", b.From.artifactField())
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

func (f Finder) open(ctx context.Context, b Bundle) (*store.File, error) {
	z, err := f.Store.Zip(ctx, b.Artifact.content, b.From.artifactPath())
	return z, errors.Wrapf(err, "cannot deploy %s", b.From.artifactField())
}
