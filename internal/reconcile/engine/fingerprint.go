package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// The fingerprint of a resource is that of what its spec refers to, with the tags that its config sets. With the one in
// status, the first reconcile after a start can tell whether any of it has changed meanwhile.

// refers reports whether spec refers to anything.
func (r *references) refers(mg reconcile.Managed) bool {
	return len(reconcile.Values(r.kind.Refs, mg)) > 0 || len(reconcile.Values(r.kind.Fields, mg)) > 0 ||
		slices.ContainsFunc(reconcile.Values(r.kind.References, mg), func(ref reconcile.Reference) bool {
			return ref.Ref != nil || ref.Selector != nil
		})
}

// depends reports whether the desired state depends on anything but the spec: on what spec refers to, or on the tags of
// the config.
func (r *references) depends(mg reconcile.Managed, s *session.Session) bool {
	return r.refers(mg) || r.kind.Tagged && s.TagRules() != ""
}

// unchanged reports whether what the desired state depends on is the same as when AWS was last found to match.
func (r *references) unchanged(ctx context.Context, mg reconcile.Managed, s *session.Session) bool {
	last := mg.GetSummary().ReferencesFingerprint
	if last == "" {
		return !r.depends(mg, s)
	}
	copied := reconcile.CopyOf(mg)
	if r.resolve(ctx, copied, s) != nil || reconcile.PlainFunctionName(copied, s) != nil {
		return false
	}
	return r.fingerprint(ctx, copied, s) == last
}

// fingerprint returns the fingerprint of a resource whose references are resolved. It is empty if the desired state
// never depended on anything but the spec, or if spec refers to fields of other providers' objects, whose versions
// change with each of their own reconciles.
func (r *references) fingerprint(ctx context.Context, mg reconcile.Managed, s *session.Session) string {
	if !r.depends(mg, s) && mg.GetSummary().ReferencesFingerprint == "" ||
		len(reconcile.Values(r.kind.Fields, mg)) > 0 {
		return ""
	}
	text, err := json.Marshal(mg)
	if err != nil {
		return ""
	}
	o := struct {
		Spec json.RawMessage `json:"spec"`
	}{}
	if json.Unmarshal(text, &o) != nil {
		return ""
	}
	h := sha256.New()
	_, _ = h.Write(o.Spec) // A hash cannot fail.
	if r.writeDependencies(ctx, h, mg, s) != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// writeDependencies writes what the desired state of a resource depends on besides its spec.
func (r *references) writeDependencies(
	ctx context.Context, w io.Writer, mg reconcile.Managed, s *session.Session,
) error {
	if tags := s.TagRules(); r.kind.Tagged && tags != "" {
		_, _ = fmt.Fprintf(w, " tags=%s", tags)
	}
	for _, ref := range reconcile.Values(r.kind.References, mg) {
		values, err := r.values(ctx, mg, ref)
		if err != nil {
			return err
		}
		for _, value := range values {
			_, _ = fmt.Fprintf(w, " %s=%q", ref.Field, value)
		}
	}
	for _, ref := range reconcile.Values(r.kind.Refs, mg) {
		version, err := r.objects.Version(ctx, ref)
		if err != nil && !refs.IsMissing(err) {
			return err
		}
		_, _ = fmt.Fprintf(w, " %s=%s", ref, version)
	}
	return nil
}
