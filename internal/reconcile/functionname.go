package reconcile

import (
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// PlainFunctionName replaces the ARN of a function, which a reference to a Function may be resolved to, by its plain
// name, because kinds compare, store and show the plain name. It returns an error if the ARN has another account or
// region than the session, in which the plain name would mean another function. If the resource is being deleted, it
// clears such a name instead, because nothing can have been created for it.
func PlainFunctionName(mg Managed, name **string, s *session.Session) error {
	if *name == nil {
		return nil
	}
	err := inSession(**name, s)
	if err != nil && meta.WasDeleted(mg) {
		*name = nil
		return nil
	}
	if err != nil {
		return Invalid(errors.Wrap(err, "cannot use spec.forProvider.functionName"))
	}
	r, _ := functionname.ParseReference(**name)
	*name = ptr.To(r.Function)
	return nil
}

// inSession returns an error if a function name or ARN does not refer to a function of the
// session's account and region.
func inSession(name string, s *session.Session) error {
	r, ok := functionname.ParseReference(name)
	switch {
	case !ok:
		return errors.Errorf("%q is neither the name nor the ARN of a function", name)
	case r.Qualifier != "":
		return errors.Errorf("%q names a version or an alias: remove the qualifier", name)
	case r.Region != "" && r.Region != s.AWS.Region:
		return errors.Errorf("%q is a function in region %s, but spec.forProvider.region is %s", name, r.Region,
			s.AWS.Region)
	case r.Account != "" && s.Identity.AccountID() == "":
		return errors.Errorf("%q is an ARN, but the account of the provider config is not known: use the function's "+
			"plain name", name)
	case r.Account != "" && r.Account != s.Identity.Account:
		return errors.Errorf("%q is a function of account %s, but the provider config uses account %s: use a "+
			"provider config of that account", name, r.Account, s.Identity.Account)
	}
	return nil
}
