package ownership

import (
	"errors"
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

// A ForeignError says that a thing of the wanted name exists and is not ours,
// whose it seems to be, and how to take it over.
type ForeignError struct {
	message string

	// adoptable says that the resource could take the thing over.
	adoptable bool
}

// Error is the message for the user.
func (e *ForeignError) Error() string { return e.message }

// IsForeign tells whether an error says that a thing is not ours.
func IsForeign(err error) bool {
	var f *ForeignError
	return errors.As(err, &f)
}

// IsAdoptable tells whether an error says that a thing is not ours, and could be taken
// over.
func IsAdoptable(err error) bool {
	f, ok := errors.AsType[*ForeignError](err)
	return ok && f.adoptable
}

// NewForeignError explains the verdict Foreign. what names the thing in AWS, such
// as "function my-function".
func NewForeignError(what string, tags map[string]string, c Expected) *ForeignError {
	if !tagged(tags) {
		return &ForeignError{adoptable: true, message: fmt.Sprintf(
			"%s exists and was not created by this resource%s; to import it, set the annotation %s to its name",
			what, otherProvider(tags), meta.AnnotationKeyExternalName)}
	}
	return &ForeignError{adoptable: true, message: fmt.Sprintf(
		"%s exists and belongs to %s; to take it over, set the annotation %s to \"true\"",
		what, owner(tags, c), AnnotationAdopt)}
}

// NewNotAllowedError explains that a thing is not to be touched for another reason, such as
// that it is for a function of another namespace.
func NewNotAllowedError(what string, why error) *ForeignError {
	return &ForeignError{message: what + " cannot be used by this resource: " + why.Error()}
}

// NewForeignUntaggedError explains the verdict Foreign on a thing that cannot carry
// tags. name is what the external name has to be to import it.
func NewForeignUntaggedError(what, name string) *ForeignError {
	return &ForeignError{adoptable: true, message: fmt.Sprintf(
		"%s exists and was not created by this resource; to import it, set the annotation %s to %q",
		what, meta.AnnotationKeyExternalName, name)}
}

func owner(tags map[string]string, c Expected) string {
	who := "another resource"
	if tags[TagName] != "" {
		who = fmt.Sprintf("%s %s/%s", or(tags[TagKind], "resource"), tags[TagNamespace], tags[TagName])
	}
	if tags[TagCluster] == c.ClusterID {
		return who + " of this cluster"
	}
	return fmt.Sprintf("%s of cluster %s", who, or(tags[TagCluster], "unknown"))
}

// otherProvider names what else says that it manages the thing, if anything does.
func otherProvider(tags map[string]string) string {
	if tags[TagName] == "" {
		return ""
	}
	return fmt.Sprintf(" (its tags name the Crossplane resource %s of kind %s)", tags[TagName], or(tags[TagKind], "unknown"))
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// OwnedBy says that another resource of this cluster, which is there, owns a thing, and
// what to do.
func OwnedBy(what, kind, namespace, name string) string {
	return fmt.Sprintf(
		"%s belongs to %s %s/%s of this cluster, and cannot be taken over while that resource exists: delete one of the two; to move it here, first delete the other with managementPolicies that do not include Delete",
		what, kind, namespace, name)
}

// NewOwnedUntaggedError explains that a thing that cannot carry tags is another resource's of
// this cluster, which is there, and what to do. name is what the external name has to be to
// import it, owner names the resource by kind, namespace and name.
func NewOwnedUntaggedError(what, name, owner string) *ForeignError {
	return &ForeignError{message: fmt.Sprintf(
		"%s belongs to %s of this cluster: delete one of the two; to move it here, first delete the other with managementPolicies that do not include Delete, then set the annotation %s to %q",
		what, owner, meta.AnnotationKeyExternalName, name)}
}

// NewOwnedError explains that a thing is another resource's, as OwnedBy does.
func NewOwnedError(what, kind, namespace, name string) *ForeignError {
	return &ForeignError{message: OwnedBy(what, kind, namespace, name)}
}

// NewMovedError returns the error of a resource whose spec or external name now names
// another external resource than the one that it manages, which would be left behind.
func NewMovedError(was, is string) *ForeignError {
	return &ForeignError{message: fmt.Sprintf(
		"spec or the external name was changed from %q to %q, which would leave %q behind: change spec.forProvider or the annotation %s back, and create another resource for %q",
		was, is, was, meta.AnnotationKeyExternalName, is)}
}
