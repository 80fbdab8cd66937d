// Package statements reads and replaces single statements of policies. AWS has no call that changes a statement.
package statements

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

// A Policy is the result of GetPolicy or GetLayerVersionPolicy, which all resources with a statement of it share.
type Policy struct {
	policy.Document

	Revision string

	// Size is the length of the policy's text, in bytes.
	Size int
}

// Parse returns the policy of an answer. It has no statements if AWS has no policy, or not what the policy is of. An
// answer without a policy is an error: believing it would leave the statement behind in a deletion.
func Parse(out *lambda.GetPolicyOutput, err error, of string) (Policy, error) {
	if awserr.IsNotFound(err) {
		return Policy{}, nil
	}
	if err != nil {
		return Policy{}, errors.Wrapf(err, "cannot get the policy of %s", of)
	}
	text := ptr.Deref(out.Policy, "")
	if text == "" {
		return Policy{}, errors.Errorf("cannot read the policy of %s: AWS's answer lacks policy", of)
	}
	d, err := policy.Parse(text)
	if err != nil {
		return Policy{}, errors.Wrapf(err, "cannot read the policy of %s", of)
	}
	return Policy{Document: d, Revision: ptr.Deref(out.RevisionId, ""), Size: len(text)}, nil
}

// Of returns the statement of a resource. The one that an interrupted replacement has left counts if that is gone.
func (p Policy) Of(mg metav1.Object, id string) (s Statement, exists bool) {
	// The UID keeps it apart from those of other resources, so that it can be removed whoever has added what else.
	s = Statement{id: id, interim: "crossplane-" + string(mg.GetUID())}
	own, exists := p.Find(id)
	interim, interrupted := p.Find(s.interim)
	if s.Statement, s.interrupted = own, interrupted; !exists {
		s.Statement = interim
	}
	for _, st := range p.Statements {
		if st.IsUnresolved() && st.Sid != s.id && st.Sid != s.interim {
			s.obstacle = st.Sid
		}
	}
	return s, exists || interrupted
}
