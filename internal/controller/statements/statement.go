// Package statements reads and replaces single statements of policies. AWS has no call that changes a statement.
package statements

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// A Statement is the statement of a resource in a policy.
type Statement struct {
	policy.Statement

	// id is the ID of the statement, and interim that of the one that allows the same while an update replaces it.
	id, interim string

	// interrupted reports whether an update has left its interim statement.
	interrupted bool

	// obstacle is the ID of another statement of which AWS can't resolve the principal.
	obstacle string
}

// A Call adds or removes the statement of an ID.
type Call func(ctx context.Context, id string) error

// unresolvedReports is the number of reports in a row, over twelve seconds, after which a principal counts as deleted.
const unresolvedReports = 3

// Plan returns the replacement of a statement that differs, by operations. AWS may return the ID of a role or user
// instead of its ARN for a moment. If it does so for longer, the principal was deleted.
func (s Statement) Plan(f reconcile.Facts, changes diff.Changes, add, remove string) reconcile.Plan {
	if s.interrupted {
		changes = append(changes, diff.Change{Path: "statementId", Old: s.interim, New: s.id})
	}
	p := reconcile.Plan{Changes: changes}
	if len(changes) == 0 {
		return p
	}
	if s.IsUnresolved() {
		p.Wait = f.Repeats.Confirm("unresolved principal", unresolvedReports, f.Now())
	}
	if p.Wait == 0 {
		p.Call, p.Reserve = remove, []string{add, add, remove}
	}
	return p
}

// policyTooLong is the code of AWS's error for a policy of more than 20 KB.
const policyTooLong = "PolicyLengthExceededException"

// Replace replaces the statement. It first adds the new one with another ID: AWS has then accepted it before the old
// one is removed, and never rejects what both allow. What an interrupted replacement has left is removed before.
func (s Statement) Replace(ctx context.Context, add, remove Call) error {
	if s.interrupted && s.Sid == s.id {
		return removed(remove(ctx, s.interim))
	}
	err := add(ctx, s.interim)
	if awserr.IsAlreadyExists(err) || awserr.Code(err) == policyTooLong || s.IsUnresolved() {
		// An interrupted replacement has added it, there is no room for it, or AWS rejects every addition while the old
		// one, which allows nothing, is there.
		err = nil
	}
	if err == nil {
		err = removed(remove(ctx, s.id))
	}
	if err == nil {
		err = add(ctx, s.id)
	}
	if err == nil {
		err = removed(remove(ctx, s.interim))
	}
	return err
}

// Explain adds to the error of an addition what to do if another statement may be the reason.
func (s Statement) Explain(err error) error {
	if s.obstacle == "" || awserr.Field(err) != "principal" {
		return err
	}
	return errors.Wrapf(err, "first remove statement %s of another tool, because its principal was deleted in IAM, "+
		"and AWS accepts no other statement until then", s.obstacle)
}

// Remove removes the statement, and what an interrupted replacement has left of it.
func (s Statement) Remove(ctx context.Context, remove Call) error {
	err := removed(remove(ctx, s.id))
	if err == nil && s.interrupted {
		err = removed(remove(ctx, s.interim))
	}
	return err
}

// removed returns the error of a removal. What is gone is removed.
func removed(err error) error {
	if awserr.IsNotFound(err) {
		return nil
	}
	return err
}

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
