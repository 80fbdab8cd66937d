package resourcepolicy

import (
	"cmp"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// maxPolicy is the maximum size of a policy in bytes.
const maxPolicy = 20480

// observed is the policy of a resource in AWS.
type observed struct {
	arn      string
	text     string
	policy   policy.Document
	revision string
}

// known returns the ARN of the resource that has the policy, or was to have it. It is empty if there was none.
func known(p *v1beta1.ResourcePolicy) string {
	return cmp.Or(reconcile.ExternalName(p), ptr.Deref(p.Status.AtProvider.ResourceArn, ""), ownership.Parent(p))
}

// desired returns the policy that spec asks for. It returns an error if that is not valid.
func desired(p *v1beta1.ResourcePolicy) (policy.Document, error) {
	text := policy.Compact(ptr.Deref(p.Spec.ForProvider.Policy, ""))
	if len(text) > maxPolicy {
		return policy.Document{},
			errors.Errorf("spec.forProvider.policy has %d bytes without white space, but AWS allows %d: shorten it",
				len(text),
				maxPolicy)
	}
	d, err := policy.Check(text)
	return d, errors.Wrap(err, "spec.forProvider.policy is not a valid policy")
}

// putInput returns the request that replaces a policy of the given revision, or of any if that is empty.
func putInput(arn, text, revision string) *lambda.PutResourcePolicyInput {
	in := &lambda.PutResourcePolicyInput{ResourceArn: ptr.To(arn), Policy: ptr.To(policy.Compact(text))}
	if revision != "" {
		in.RevisionId = ptr.To(revision)
	}
	return in
}

// deleteInput returns the request that deletes a policy of the observed revision.
func deleteInput(o observed) *lambda.DeleteResourcePolicyInput {
	in := &lambda.DeleteResourcePolicyInput{ResourceArn: ptr.To(o.arn)}
	if o.revision != "" {
		in.RevisionId = ptr.To(o.revision)
	}
	return in
}

// observation returns what status shows of a policy.
func observation(o observed) v1beta1.ResourcePolicyObservation {
	return v1beta1.ResourcePolicyObservation{
		ResourceArn:    ptr.To(o.arn),
		Policy:         ptr.To(o.text),
		StatementCount: ptr.To(int32(min(len(o.policy.Statements), maxPolicy))), //nolint:gosec // It is bounded.
		RevisionID:     ptr.To(o.revision),
	}
}
