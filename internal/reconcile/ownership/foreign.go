package ownership

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A ForeignError says that an external resource of the desired name exists and belongs to
// another owner, which owner that seems to be, and how to adopt it.
type ForeignError struct {
	message string

	// adoptable says that the managed resource could adopt the external resource.
	adoptable bool
}

// Error returns the message for the user.
func (e *ForeignError) Error() string { return e.message }

// IsForeign reports whether an error says that an external resource is not owned.
func IsForeign(err error) bool {
	_, ok := errors.AsType[*ForeignError](err)
	return ok
}

// IsAdoptable reports whether an error says that an external resource is not owned and could be adopted.
func IsAdoptable(err error) bool {
	f, ok := errors.AsType[*ForeignError](err)
	return ok && f.adoptable
}

// NewForeignError returns the error for the ownership Foreign. what describes the external
// resource, such as "function my-function".
func NewForeignError(what string, tags map[string]string, c Expected) *ForeignError {
	if !tagged(tags) {
		return &ForeignError{adoptable: true, message: fmt.Sprintf(
			"%s exists and was not created by this resource%s; to import it, set the annotation %s to its name",
			what, otherProvider(tags), meta.AnnotationKeyExternalName)}
	}
	how := "to take it over"
	if tags[TagCluster] == c.ClusterID {
		how += " after that one was deleted"
	}
	return &ForeignError{adoptable: true, message: fmt.Sprintf(
		"%s exists and belongs to %s; %s, set the annotation %s to \"true\"",
		what, owner(tags, c), how, v1beta1.AnnotationAdopt)}
}

// NewNotAllowedError returns the error for an external resource that may not be managed
// for another reason, such as that it belongs to a function of another namespace.
func NewNotAllowedError(what string, why error) *ForeignError {
	return &ForeignError{message: what + " cannot be used by this resource: " + why.Error()}
}

// NewForeignUntaggedError returns the error for the ownership Foreign of an external
// resource that cannot have tags. name is the external name that would import it.
func NewForeignUntaggedError(what, name string) *ForeignError {
	return &ForeignError{adoptable: true, message: fmt.Sprintf(
		"%s exists and was not created by this resource; to import it, set the annotation %s to %q",
		what, meta.AnnotationKeyExternalName, name)}
}

func owner(tags map[string]string, c Expected) string {
	who := "another resource"
	if tags[TagName] != "" {
		who = fmt.Sprintf("%s %s/%s", cmp.Or(tags[TagKind], "resource"), tags[TagNamespace], tags[TagName])
	}
	if tags[TagCluster] == c.ClusterID {
		return who + " of this cluster"
	}
	return fmt.Sprintf("%s of cluster %s", who, cmp.Or(tags[TagCluster], "unknown"))
}

// otherProvider returns which other tool the tags name as the manager of the external
// resource. It is empty if they name none.
func otherProvider(tags map[string]string) string {
	if tags[TagName] == "" {
		return ""
	}
	return fmt.Sprintf(" (its tags name the Crossplane resource %s of kind %s)", tags[TagName],
		cmp.Or(tags[TagKind], "unknown"))
}

// OwnedBy returns a message that another existing resource of this cluster owns an external resource, and what to do.
func OwnedBy(what, kind, namespace, name string) string {
	return fmt.Sprintf(
		"%s belongs to %s %s/%s of this cluster, and cannot be taken over while that resource exists: delete one of "+
			"the two; to move it here, first delete the other with managementPolicies that do not include Delete",
		what, kind, namespace, name)
}

// NewOwnedUntaggedError returns the error for an external resource that cannot have tags and that another existing
// resource of this cluster owns. It says what to do. name is the external name that would import it, owner names the
// resource by kind, namespace and name.
func NewOwnedUntaggedError(what, name, owner string) *ForeignError {
	return &ForeignError{message: fmt.Sprintf(
		"%s belongs to %s of this cluster: delete one of the two; to move it here, first delete the other with "+
			"managementPolicies that do not include Delete, then set the annotation %s to %q",
		what, owner, meta.AnnotationKeyExternalName, name)}
}

// NewOwnedError returns the error for an external resource that another resource owns, with the message of OwnedBy.
func NewOwnedError(what, kind, namespace, name string) *ForeignError {
	return &ForeignError{message: OwnedBy(what, kind, namespace, name)}
}
