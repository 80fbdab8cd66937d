// Package ownership decides by tags which managed resource owns an external resource. It is pure.
//
// Every taggable external resource that the provider creates carries the tags that Tags returns. They are checked
// before anything is changed, so that a foreign external resource is never updated or deleted, an unanswered create is
// recognised, a restored backup finds its external resources again, and two clusters do not manage the same function.
package ownership

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// The tags that record the owner. The first four are those that users of Crossplane's other AWS providers know.
const (
	TagKind           = "crossplane-kind"
	TagName           = "crossplane-name"
	TagNamespace      = "crossplane-namespace"
	TagProviderConfig = "crossplane-providerconfig"
	TagUID            = "crossplane-uid"
	TagCluster        = "crossplane-cluster"
)

// Tags returns the tags that mark an external resource as owned by the given resource.
// kind is the kind and group in lower case, such as function.lambda.aws.m.crossplane.io;
// config is the name of its ProviderConfig or ClusterProviderConfig.
func Tags(mg metav1.Object, clusterID, config, kind string) map[string]string {
	return map[string]string{
		TagKind:           kind,
		TagName:           mg.GetName(),
		TagNamespace:      mg.GetNamespace(),
		TagProviderConfig: config,
		TagUID:            string(mg.GetUID()),
		TagCluster:        clusterID,
	}
}

// Keys returns the keys of the tags that Tags returns.
func Keys() []string {
	return []string{TagKind, TagName, TagNamespace, TagProviderConfig, TagUID, TagCluster}
}

// An Ownership is the relation between a managed resource and an external resource.
type Ownership int

// Ownerships.
const (
	// Foreign resources are never updated and never deleted.
	Foreign Ownership = iota

	// Ours carry the UID of this object.
	Ours

	// OursAgain were created for an earlier object of the same name in the same cluster, which
	// was re-created or restored since. Their tags are renewed.
	OursAgain

	// Adopted are adopted because the user says so. Their tags are set.
	Adopted
)

// String returns the ownership in a word.
func (v Ownership) String() string {
	switch v {
	case Ours:
		return "Ours"
	case OursAgain:
		return "OursAgain"
	case Adopted:
		return "Adopted"
	case Foreign:
	}
	return "Foreign"
}

// Manageable reports whether the external resource may be updated and deleted.
func (v Ownership) Manageable() bool { return v != Foreign }

// Expected describes the external resource that a managed resource expects.
type Expected struct {
	// Kind as in Tags.
	Kind string

	// ClusterID as in Tags.
	ClusterID string

	// Named is true if the user, or a restored backup, names this external resource by the
	// external name (see UserSetName), or if it is known to be the one that the resource owned
	// at its last observation, so that only its tags were removed since.
	Named bool
}

// CheckOwnership returns the ownership of the external resource with these tags.
func CheckOwnership(tags map[string]string, mg metav1.Object, c Expected) Ownership {
	switch {
	case tags[TagUID] != "" && tags[TagUID] == string(mg.GetUID()):
		return Ours
	case sameResource(tags, mg, c):
		return OursAgain
	case !tagged(tags) && c.Named && created(mg):
		return Ours // AWS does not show its tags yet, or someone removed them.
	case mg.GetAnnotations()[v1beta1.AnnotationAdopt] == "true":
		return Adopted
	case !tagged(tags) && c.Named:
		return Adopted
	}
	return Foreign
}

// ShownByTags reports whether the tags show that an external resource, whose ownership is v, is that of the object. Its
// annotations are no proof to others, because its user can write them.
func (v Ownership) ShownByTags(tags map[string]string, mg metav1.Object) bool {
	return v == OursAgain || v == Ours && tags[TagUID] == string(mg.GetUID())
}

// Annotations returns a copy of the annotations of Crossplane and of this provider. Those of other tools decide
// nothing.
func Annotations(mg metav1.Object) map[string]string {
	own := map[string]string{}
	for key, value := range mg.GetAnnotations() {
		if domain, _, _ := strings.Cut(key, "/"); strings.HasSuffix(domain, "crossplane.io") {
			own[key] = value
		}
	}
	return own
}

// CreatedAt returns when this object's last create succeeded. It returns false if none
// did, or if the result of a later one is not known.
func CreatedAt(mg metav1.Object) (time.Time, bool) {
	at := meta.GetExternalCreateSucceeded(mg)
	last := !at.IsZero() && !meta.GetExternalCreatePending(mg).After(at) && !meta.GetExternalCreateFailed(mg).After(at)
	return at, last && strings.HasPrefix(mg.GetAnnotations()[v1beta1.AnnotationNamedBy], mark(mg, ""))
}

// Untried reports whether an object has no external name, has not tried to create anything, and
// is not to adopt anything.
func Untried(mg metav1.Object) bool {
	a := mg.GetAnnotations()
	for _, k := range []string{
		meta.AnnotationKeyExternalName, meta.AnnotationKeyExternalCreatePending,
		meta.AnnotationKeyExternalCreateSucceeded, meta.AnnotationKeyExternalCreateFailed, v1beta1.AnnotationAdopt,
	} {
		if a[k] != "" {
			return false
		}
	}
	return true
}

// Unanswered returns the annotations that record that the pending create was not answered.
func Unanswered(mg metav1.Object) map[string]string {
	return map[string]string{v1beta1.AnnotationUnanswered: mark(mg,
		meta.GetExternalCreatePending(mg).Format(time.RFC3339))}
}

// UnansweredAt returns when this object's last create was made if its result is not known:
// it was not answered, or the process ended before the answer was recorded.
func UnansweredAt(mg metav1.Object) (time.Time, bool) {
	at := meta.GetExternalCreatePending(mg)
	switch {
	case at.IsZero(), meta.GetExternalCreateSucceeded(mg).After(at):
		return at, false
	case mg.GetAnnotations()[v1beta1.AnnotationUnanswered] == Unanswered(mg)[v1beta1.AnnotationUnanswered]:
		return at, true
	}
	return at, at.After(meta.GetExternalCreateSucceeded(mg)) && at.After(meta.GetExternalCreateFailed(mg))
}

// MayHaveCreated reports whether an object without an external name has made a create whose result is not known.
func MayHaveCreated(mg metav1.Object) bool {
	_, unanswered := UnansweredAt(mg)
	return unanswered && meta.GetExternalName(mg) == ""
}

// maxAsked is the number of creates in a row whose settings are recorded.
const maxAsked = 5

// Asked returns the annotation that records the settings of the next create, after those of the ones before it whose
// result is not known: any of them may have taken effect.
func Asked(mg metav1.Object, settings any) map[string]string {
	all := askedFor[json.RawMessage](mg)
	text, _ := json.Marshal(settings) //nolint:errchkjson // Without it, spec counts.
	if !slices.ContainsFunc(all, func(former json.RawMessage) bool { return bytes.Equal(former, text) }) {
		all = append(all[max(0, len(all)-maxAsked+1):], text)
	}
	text, _ = json.Marshal(all) //nolint:errchkjson // As above.
	return map[string]string{v1beta1.AnnotationAsked: string(text)}
}

// AskedFor returns the settings that the last creates asked for, or the desired ones if they are not known.
func AskedFor[S any](mg metav1.Object, desired S) []S {
	if all := askedFor[S](mg); len(all) > 0 {
		return all
	}
	return []S{desired}
}

func askedFor[S any](mg metav1.Object) []S {
	var all []S
	_ = json.Unmarshal([]byte(mg.GetAnnotations()[v1beta1.AnnotationAsked]), &all) // Users may have changed it.
	return all
}

// created reports whether this object created what its external name names.
func created(mg metav1.Object) bool {
	_, ok := CreatedAt(mg)
	return ok && WroteName(mg)
}

// CheckUntaggedOwnership returns the ownership of an external resource of this name that
// cannot have tags. asMade says that it is just what this resource asked AWS to create:
// then one that did not exist before an unanswered create is the result of that create.
func CheckUntaggedOwnership(mg metav1.Object, name string, asMade bool) Ownership {
	switch {
	case name != "" && WrittenName(mg) == name:
		return Ours
	case UserSetName(mg), mg.GetAnnotations()[v1beta1.AnnotationAdopt] == "true":
		return Adopted
	case asMade && meta.GetExternalCreatePending(mg).After(meta.GetExternalCreateSucceeded(mg)):
		return Ours
	}
	return Foreign
}

// ObserveOnly reports whether the management policies allow a resource nothing but observing, so that it owns nothing.
func ObserveOnly(mg resource.Manageable) bool {
	p := mg.GetManagementPolicies()
	return len(p) > 0 &&
		!slices.ContainsFunc(p, func(a xpv2.ManagementAction) bool { return a != xpv2.ManagementActionObserve })
}

// Parent returns the name of what the external resource belongs to in AWS, such as the function of an alias, as it was
// at the creation: if spec names it by a reference, the referenced object may no longer exist at the deletion.
func Parent(mg metav1.Object) string { return mg.GetAnnotations()[v1beta1.AnnotationParent] }

// UserSetName reports whether the user set the external name, as for an import, or a
// backup restored it: it exists and this object has not written it itself.
func UserSetName(mg metav1.Object) bool {
	return meta.GetExternalName(mg) != "" && !WroteName(mg)
}

// WroteName reports whether this object wrote the external name that it has.
func WroteName(mg metav1.Object) bool {
	return IsNamed(mg, WrittenName(mg))
}

// IsNamed reports whether the external name, set by the user or written by the object itself, is the given one.
func IsNamed(mg metav1.Object, name string) bool {
	return name != "" && meta.GetExternalName(mg) == name
}

// WrittenName returns the external name that this object wrote, even if the user has since
// removed or changed the annotation. It is empty if it wrote none.
func WrittenName(mg metav1.Object) string {
	name, ok := strings.CutPrefix(mg.GetAnnotations()[v1beta1.AnnotationNamedBy], mark(mg, ""))
	if !ok {
		return ""
	}
	return name
}

// CheckMoved returns an error if the user has replaced the external name that this object
// wrote: the external resource of that name would be left behind.
func CheckMoved(mg metav1.Object) error {
	was, is := WrittenName(mg), meta.GetExternalName(mg)
	if was == "" || is == "" || was == is {
		return nil
	}
	return NewMovedError(was, is)
}

// ParentOf returns the name of what the external resource of mg belongs to. It is the observed one, or else the one
// that was recorded at the creation, also if that was not answered, or else the desired one. It returns an error if the
// desired one is another, because the external resource would be left behind. A resource that is being deleted uses the
// existing one. If the user has set its external name, the record may be a copy of another resource's, and the desired
// one takes precedence.
func ParentOf(mg metav1.Object, observed, desired string) (string, error) {
	was := observed
	copied := UserSetName(mg) && desired != ""
	if was == "" && (meta.WasDeleted(mg) && !copied || WrittenName(mg) != "" || MayHaveCreated(mg)) {
		was = Parent(mg)
	}
	if was == "" {
		return desired, nil
	}
	if desired != "" && was != desired && !meta.WasDeleted(mg) {
		return was, NewMovedError(was, desired)
	}
	return was, nil
}

// Name returns the annotations that record an external name and the object that wrote it, and that end what Asked has
// recorded.
func Name(mg metav1.Object, name string) map[string]string {
	a := map[string]string{
		meta.AnnotationKeyExternalName: name,
		v1beta1.AnnotationNamedBy:      mark(mg, name),
	}
	if _, asked := mg.GetAnnotations()[v1beta1.AnnotationAsked]; asked {
		a[v1beta1.AnnotationAsked] = ""
	}
	return a
}

func mark(mg metav1.Object, name string) string {
	return fmt.Sprintf("%s/%s", mg.GetUID(), name)
}

// tagged reports whether the tags name a resource of this provider as the owner. Other
// Crossplane providers set crossplane-kind and crossplane-name, but neither of these two:
// what they created is imported by its external name like any other.
func tagged(tags map[string]string) bool {
	return tags[TagUID] != "" || tags[TagCluster] != ""
}

func sameResource(tags map[string]string, mg metav1.Object, c Expected) bool {
	return tags[TagCluster] != "" && tags[TagCluster] == c.ClusterID &&
		tags[TagKind] == c.Kind &&
		tags[TagNamespace] == mg.GetNamespace() &&
		tags[TagName] == mg.GetName()
}

// NewMovedError returns the error of a resource that now names, in spec or by its external name, another external
// resource than the one that it manages, which would be left behind.
func NewMovedError(was, is string) error {
	return fmt.Errorf("spec or the external name was changed from %q to %q, which would leave %q behind: change "+
		"spec.forProvider or the annotation %s back, and create another resource for %q",
		was, is, was, meta.AnnotationKeyExternalName, is)
}
