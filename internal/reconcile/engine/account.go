package engine

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// usedAccount returns the account in which this reconcile has found or changed the external resource, or may have
// created it by a call without an answer. It returns "" if it has done none of these, or the account is not known.
func (p *pass[T]) usedAccount(mg reconcile.Managed) string {
	_, unanswered := ownership.UnansweredAt(mg)
	if p.session != nil && (p.found() || p.did != "" || p.changing && unanswered) {
		return p.session.Identity.AccountID()
	}
	return ""
}

// checkAccount returns an error if the external resource is in another account than that of the session, in which it
// would seem to be deleted. A resource that only observes leaves nothing behind. There must be a session.
func (p *pass[T]) checkAccount() error {
	was, is := p.read.GetSummary().AccountID, p.session.Identity.AccountID()
	if was == "" || is == "" || was == is || reconcile.ObserveOnly(p.read) {
		return nil
	}
	return reconcile.Invalid(errors.Errorf("it is in AWS account %s, where it would be left behind, but the "+
		"credentials of its provider config are of account %s: use credentials of account %s, or delete this "+
		"resource with managementPolicies that do not include Delete, which leaves it in AWS, and create it again",
		was, is, was))
}
