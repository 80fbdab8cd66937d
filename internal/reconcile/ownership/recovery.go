package ownership

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

// A Recovery is the result of a search for an unanswered create. Only tags identify what
// the create made, because AWS gives the name.
type Recovery struct {
	// Kind of what was searched for, such as "event source mapping", and Identifier, AWS's
	// term for its name, such as "UUID".
	Kind, Identifier string

	// Ours are the names of those with tags that carry the resource's UID.
	Ours []string

	// Doubtful is the name of one with tags that AWS does not return. Empty if there is none.
	Doubtful string
}

// Name returns the name of what the create made, empty if it made nothing. It returns an error if only the user can
// decide, which says how. A resource that is being deleted takes any of its own.
func (r Recovery) Name(mg metav1.Object) (string, error) {
	switch {
	case len(r.Ours) > 1 && !meta.WasDeleted(mg):
		return "",
			fmt.Errorf("the tags of several %ss name this resource (%s): set the annotation %s to the %s of the one "+
				"to keep, and delete the others in AWS",
				r.Kind, strings.Join(r.Ours, ", "), meta.AnnotationKeyExternalName, r.Identifier)
	case len(r.Ours) > 0:
		return r.Ours[0], nil
	case r.Doubtful != "":
		return "",
			fmt.Errorf("cannot tell whether this resource created %s %s, because AWS does not return its tags: if it "+
				"did, set the annotation %s to its %s; if not, remove the annotation %s to create another",
				r.Kind, r.Doubtful, meta.AnnotationKeyExternalName, r.Identifier,
				meta.AnnotationKeyExternalCreatePending)
	}
	return "", nil
}
