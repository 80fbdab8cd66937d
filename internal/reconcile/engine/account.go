package engine

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// account returns the id of the account of the session, or "" if it is not known.
func (p *pass[T]) account() string {
	if p.session == nil || !functionname.IsAccountID(p.session.Identity.Account) {
		return ""
	}
	return p.session.Identity.Account
}

// usedAccount returns the account in which this reconcile has found or changed the external resource, or "" if it has
// done neither.
func (p *pass[T]) usedAccount() string {
	if p.changing || p.out.Exists && p.err == nil {
		return p.account()
	}
	return ""
}

// checkAccount returns an error if the external resource is in another account than that of the session, in which it
// would seem to be deleted. A resource that only observes leaves nothing behind.
func (p *pass[T]) checkAccount() error {
	was, is := p.read.GetSummary().AccountID, p.account()
	if was == "" || is == "" || was == is || reconcile.ObserveOnly(p.read) {
		return nil
	}
	return reconcile.Invalid(errors.Errorf("it is in AWS account %s, where it would be left behind, but the "+
		"credentials of its provider config are of account %s: use credentials of account %s, or delete this "+
		"resource with managementPolicies that do not include Delete, which leaves it in AWS, and create it again",
		was, is, was))
}
