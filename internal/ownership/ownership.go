// Package ownership tells whose a thing in AWS is, by its tags. It is pure.
//
// Every taggable thing that the provider makes carries the tags that Tags
// returns. What is found under the name of a managed resource is judged by them
// before anything is changed, so that a foreign thing is never updated and never
// deleted, a lost answer to a create is recognised, a restored backup finds its
// things again, and two clusters do not fight over one function.
package ownership

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// The tags that say whose a thing is. The first four are those that users of
// Crossplane's other AWS providers know.
const (
	TagKind           = "crossplane-kind"
	TagName           = "crossplane-name"
	TagNamespace      = "crossplane-namespace"
	TagProviderConfig = "crossplane-providerconfig"
	TagUID            = "crossplane-uid"
	TagCluster        = "crossplane-cluster"
)

const (
	// AnnotationAdopt is the annotation that, set to "true", lets a resource take over a thing that
	// another cluster or another resource owns, or that no one seems to own.
	AnnotationAdopt = "lambda.aws.m.crossplane.io/adopt"

	// AnnotationNamedBy says which object wrote the external name and what it
	// wrote, as "uid/name". It tells an external name that the user set, or that
	// came along with a restored backup, from one that the provider wrote.
	AnnotationNamedBy = "lambda.aws.m.crossplane.io/external-name-written-by"

	// AnnotationParent keeps what Parent returns. Whoever prepares a creation sets it in
	// memory; it is written together with the note that a creation is pending.
	AnnotationParent = "lambda.aws.m.crossplane.io/parent"

	// AnnotationUnanswered keeps the time of a create whose answer was lost, so that it
	// is not known whether AWS has created anything.
	AnnotationUnanswered = "lambda.aws.m.crossplane.io/create-unanswered"

	// AnnotationIntent keeps what a resource is about to make anew in AWS, in the kind's
	// own terms. It is written before the call, so that what a lost answer told of is
	// found again.
	AnnotationIntent = "lambda.aws.m.crossplane.io/intent"

	// AnnotationRecord keeps what was done where nothing in AWS tells of it: an
	// Invocation's last call.
	AnnotationRecord = "lambda.aws.m.crossplane.io/last-invocation"
)

// Tags are those that mark a thing as the given resource's. kind is the kind and
// group in lower case, such as function.lambda.aws.m.crossplane.io; config is the
// name of its ProviderConfig or ClusterProviderConfig.
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

// Keys are the keys of the tags that Tags returns.
func Keys() []string {
	return []string{TagKind, TagName, TagNamespace, TagProviderConfig, TagUID, TagCluster}
}

// An Ownership says whose a thing is.
type Ownership int

// Verdicts.
const (
	// Foreign things are never updated and never deleted.
	Foreign Ownership = iota

	// Ours carry this very object's UID.
	Ours

	// OursAgain were made for an earlier object of the same name in the same
	// cluster, which was re-created or restored since. Their tags are renewed.
	OursAgain

	// Adopted are taken over because the user says so. Their tags are set.
	Adopted
)

// String is the verdict in a word.
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

// Manageable tells whether the thing may be updated and deleted.
func (v Ownership) Manageable() bool { return v != Foreign }

// An Expected is what a resource has to say for itself when a thing is found.
type Expected struct {
	// Kind as in Tags.
	Kind string

	// ClusterID as in Tags.
	ClusterID string

	// Named is true where the user, or a restored backup, says by the external
	// name that this very thing is meant (see UserSetName), or where it is known to
	// be the same thing that the resource owned when it last looked, so that only
	// its tags were taken off since.
	Named bool
}

// CheckOwnership whose the thing with these tags is.
func CheckOwnership(tags map[string]string, mg metav1.Object, c Expected) Ownership {
	switch {
	case tags[TagUID] != "" && tags[TagUID] == string(mg.GetUID()):
		return Ours
	case sameResource(tags, mg, c):
		return OursAgain
	case !tagged(tags) && c.Named && created(mg):
		return Ours // AWS does not show its tags yet, or someone took them off.
	case mg.GetAnnotations()[AnnotationAdopt] == "true":
		return Adopted
	case !tagged(tags) && c.Named:
		return Adopted
	}
	return Foreign
}

// CreatedAt is when this very object's last create succeeded. It returns false where
// none did, or where what came of a later one is not known.
func CreatedAt(mg metav1.Object) (time.Time, bool) {
	at := meta.GetExternalCreateSucceeded(mg)
	last := !at.IsZero() && !meta.GetExternalCreatePending(mg).After(at) && !meta.GetExternalCreateFailed(mg).After(at)
	return at, last && strings.HasPrefix(mg.GetAnnotations()[AnnotationNamedBy], mark(mg, ""))
}

// Unanswered are the annotations by which an object keeps that the create which is
// pending was not answered.
func Unanswered(mg metav1.Object) map[string]string {
	return map[string]string{AnnotationUnanswered: mark(mg, meta.GetExternalCreatePending(mg).Format(time.RFC3339))}
}

// UnansweredAt is when this very object's last create was made, of which nothing is
// known: it was not answered, or the process ended before the answer was kept.
func UnansweredAt(mg metav1.Object) (time.Time, bool) {
	at := meta.GetExternalCreatePending(mg)
	switch {
	case at.IsZero(), meta.GetExternalCreateSucceeded(mg).After(at):
		return at, false
	case mg.GetAnnotations()[AnnotationUnanswered] == Unanswered(mg)[AnnotationUnanswered]:
		return at, true
	}
	return at, at.After(meta.GetExternalCreateSucceeded(mg)) && at.After(meta.GetExternalCreateFailed(mg))
}

// created tells whether this very object created what its external name names.
func created(mg metav1.Object) bool {
	_, ok := CreatedAt(mg)
	return ok && WroteName(mg)
}

// CheckUntaggedOwnership tells whose a thing of this name is that cannot carry tags. As made
// says that it is just what this resource asked AWS to make: then one that was not
// there before a create whose answer was lost is the one that was made.
func CheckUntaggedOwnership(mg metav1.Object, name string, asMade bool) Ownership {
	switch {
	case name != "" && WrittenName(mg) == name:
		return Ours
	case UserSetName(mg), mg.GetAnnotations()[AnnotationAdopt] == "true":
		return Adopted
	case asMade && meta.GetExternalCreatePending(mg).After(meta.GetExternalCreateSucceeded(mg)):
		return Ours
	}
	return Foreign
}

// ObserveOnly tells whether the management policies of a resource allow it nothing but to
// observe, so that it owns nothing.
func ObserveOnly(mg resource.Manageable) bool {
	p := mg.GetManagementPolicies()
	return len(p) > 0 && !slices.ContainsFunc(p, func(a xpv2.ManagementAction) bool { return a != xpv2.ManagementActionObserve })
}

// Parent is the name of what the thing belongs to in AWS, such as an alias's
// function, as it was when the thing was created: where the spec tells it by a
// reference, what it refers to may be gone when the thing is to be deleted.
func Parent(mg metav1.Object) string { return mg.GetAnnotations()[AnnotationParent] }

// UserSetName tells whether the external name was set by the user, as for an
// import, or came along with a restored backup: whether it is there and this
// object has not written it itself.
func UserSetName(mg metav1.Object) bool {
	return meta.GetExternalName(mg) != "" && !WroteName(mg)
}

// WroteName tells whether this very object wrote the external name that it has.
func WroteName(mg metav1.Object) bool {
	name := meta.GetExternalName(mg)
	return name != "" && mg.GetAnnotations()[AnnotationNamedBy] == mark(mg, name)
}

// IsNamed tells whether the external name, which the user has set or the object has written
// itself, is the given one.
func IsNamed(mg metav1.Object, name string) bool {
	return name != "" && meta.GetExternalName(mg) == name
}

// WrittenName is the external name that this very object wrote, even if the user has
// since removed or changed the annotation. Empty if it wrote none.
func WrittenName(mg metav1.Object) string {
	name, _ := strings.CutPrefix(mg.GetAnnotations()[AnnotationNamedBy], mark(mg, ""))
	if mg.GetAnnotations()[AnnotationNamedBy] != mark(mg, name) {
		return ""
	}
	return name
}

// CheckName returns an error where the user has put another external name over the
// one that this object wrote: the thing of that name would be left behind.
func CheckName(mg metav1.Object) error {
	was, is := WrittenName(mg), meta.GetExternalName(mg)
	if was == "" || is == "" || was == is {
		return nil
	}
	return NewMovedError(was, is)
}

// ParentOf returns the name of what the external resource of mg belongs to. It is the
// observed one, or else the one that was kept when it was created, or else the desired one.
// It returns an error if the desired one is another, because the external resource would be
// left behind. A resource that is being deleted goes by what it has.
func ParentOf(mg metav1.Object, observed, desired string) (string, error) {
	was := observed
	if was == "" && (meta.WasDeleted(mg) || WrittenName(mg) != "") {
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

// Name are the annotations by which an object keeps the external name it found.
func Name(mg metav1.Object, name string) map[string]string {
	return map[string]string{
		meta.AnnotationKeyExternalName: name,
		AnnotationNamedBy:              mark(mg, name),
	}
}

func mark(mg metav1.Object, name string) string {
	return fmt.Sprintf("%s/%s", mg.GetUID(), name)
}

// tagged tells whether any resource of this provider claims the thing. Other
// Crossplane providers set crossplane-kind and crossplane-name, but neither of
// these two: what they made is imported by its external name like any other.
func tagged(tags map[string]string) bool {
	return tags[TagUID] != "" || tags[TagCluster] != ""
}

func sameResource(tags map[string]string, mg metav1.Object, c Expected) bool {
	return tags[TagCluster] != "" && tags[TagCluster] == c.ClusterID &&
		tags[TagKind] == c.Kind &&
		tags[TagNamespace] == mg.GetNamespace() &&
		tags[TagName] == mg.GetName()
}
