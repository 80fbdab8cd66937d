package archive

import (
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

// A Source is the source of an archive: an object in S3, or one of the others.
type Source struct {
	// Field is the field of the resource that holds the source, such as spec.forProvider.code.
	Field string

	// S3Bucket, S3Key and S3ObjectVersion identify an object in S3. Without a version, it is the newest one.
	S3Bucket, S3Key, S3ObjectVersion *string

	// Inline maps file names to their contents.
	Inline map[string]string

	// ConfigMap is the name of a ConfigMap in which each key is a file. FilePrefix is prepended to each key.
	ConfigMap, FilePrefix string

	// ZipFileFrom refers to a complete archive.
	ZipFileFrom *v1beta1.ZipFileSource

	// Flux refers to a Flux source in the namespace, whose artifact has the archive.
	Flux *v1beta1.SourceReference

	// OCI is an artifact in a registry that has the archive.
	OCI *v1beta1.OCISource

	// Staging is the place in S3 for an archive that is too large for a call.
	Staging *v1beta1.Staging

	// SHA256 pins the archive, as hexadecimal or base64.
	SHA256 *string
}

// Refs returns the Secrets and ConfigMaps that a source in a namespace refers to, if any.
func (s Source) Refs(namespace string) []refs.ObjectRef {
	switch {
	case s.ConfigMap != "":
		return []refs.ObjectRef{refs.ConfigMapOf(namespace, s.ConfigMap)}
	case s.OCI != nil:
		return ociRefs(*s.OCI, namespace)
	}
	if s.ZipFileFrom != nil {
		ref, _ := refs.KeyOf(namespace, v1beta1.ValueSource(*s.ZipFileFrom))
		return []refs.ObjectRef{ref}
	}
	return nil
}

// artifactLocation returns the name of a Flux source and the path in it, such as
// GitRepository/shop//functions/checkout, or the reference of an artifact in a registry. It is empty for other sources.
func (s Source) artifactLocation() string {
	at, path := "", s.artifactPath()
	switch {
	case s.Flux != nil:
		at = s.Flux.Kind + "/" + s.Flux.Name
	case s.OCI != nil:
		at = "oci://" + s.OCI.Reference
	}
	if path != "" {
		at += "//" + path
	}
	return at
}

func (s Source) artifactPath() string {
	switch {
	case s.Flux != nil:
		return ptr.Deref(s.Flux.Path, "")
	case s.OCI != nil:
		return ptr.Deref(s.OCI.Path, "")
	}
	return ""
}

// artifactField returns the field that names an artifact's source.
func (s Source) artifactField() string {
	if s.OCI != nil {
		return s.Field + ".oci"
	}
	return s.Field + ".sourceRef"
}

// Fields returns the selector by which the Flux source is read and watched, if there is one.
func (s Source) Fields() []v1beta1.FieldSelector {
	if s.Flux == nil {
		return nil
	}
	return []v1beta1.FieldSelector{{
		APIVersion: ptr.Deref(s.Flux.APIVersion, flux.Group+"/v1"), Kind: s.Flux.Kind, Name: s.Flux.Name,
		FieldPath: flux.View,
	}}
}

// Tracks reports whether the source is a tag in a registry that may move.
func (s Source) Tracks() bool { return s.OCI != nil && ptr.Deref(s.OCI.TrackTag, false) }

// ociRefs returns the Secrets and ConfigMaps that a source in a registry refers to.
func ociRefs(s v1beta1.OCISource, namespace string) []refs.ObjectRef {
	var all []refs.ObjectRef
	for _, r := range s.PullSecretRefs {
		all = append(all, refs.SecretOf(namespace, r.Name))
	}
	if s.Verify == nil {
		return all
	}
	if k := s.Verify.Cosign.KeyRef; k != nil {
		ref, _ := refs.KeyOf(namespace, v1beta1.ValueSource(*k))
		all = append(all, ref)
	}
	if k := s.Verify.Cosign.Keyless; k != nil {
		ref, _ := refs.KeyOf(namespace, v1beta1.ValueSource(k.TrustedRootRef))
		all = append(all, ref)
	}
	return all
}
