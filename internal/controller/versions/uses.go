package versions

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

// Operations that return what uses the versions of a function.
const (
	callAliases     = "ListAliases"
	callProvisioned = "ListProvisionedConcurrencyConfigs"
	callInvoke      = "ListFunctionEventInvokeConfigs"
	callMappings    = "ListEventSourceMappings"
	callPolicy      = "GetPolicy"
)

// API is the part of the Lambda API that returns what uses the versions of a function, and deletes one.
type API interface {
	lambda.ListAliasesAPIClient
	lambda.ListProvisionedConcurrencyConfigsAPIClient
	lambda.ListFunctionEventInvokeConfigsAPIClient
	lambda.ListEventSourceMappingsAPIClient

	GetPolicy(ctx context.Context, in *lambda.GetPolicyInput,
		opts ...func(*lambda.Options)) (*lambda.GetPolicyOutput, error)
	DeleteFunction(ctx context.Context, in *lambda.DeleteFunctionInput,
		opts ...func(*lambda.Options)) (*lambda.DeleteFunctionOutput, error)
}

// A Function is a function with versions to be pruned.
type Function struct {
	// Name is the name of the function in calls. It may be an ARN, also of another account.
	Name string

	// ARN is the ARN of the function, without a qualifier.
	ARN string
}

// FunctionOf returns the function with a name, and an ARN that AWS returned for it or for one
// of its versions or aliases. If the ARN is empty, the name is used instead.
func FunctionOf(name, arn string) Function {
	n := functionname.OfARN(arn)
	if n.Function == "" {
		return Function{Name: name, ARN: name}
	}
	if n.Qualifier != "" {
		arn = strings.TrimSuffix(arn, ":"+n.Qualifier)
	}
	return Function{Name: name, ARN: arn}
}

// Uses maps versions to what uses them. A function URL never belongs to a version: that of an
// alias uses the alias's versions, like the alias itself.
type Uses map[string]string

func (u Uses) add(version, usedBy string) {
	if _, known := u[version]; !known && version != "" {
		u[version] = usedBy
	}
}

// any reports whether one of the versions is in use.
func (u Uses) any(versions []string) bool {
	return slices.ContainsFunc(versions, func(v string) bool { return u[v] != "" })
}

// lists is the content of the lists that AWS has per function.
type lists struct {
	// uses of all versions of the function.
	uses Uses

	// aliases are the names of the function's aliases.
	aliases []string
}

// listsOf returns what the lists that AWS has per function say.
func listsOf(ctx context.Context, api API, function string) (lists, error) {
	l := lists{uses: Uses{}}
	for _, add := range []func(context.Context, API, string, *lists) error{
		addAliases, addProvisioned,
		addInvokeConfigs,
	} {
		// A missing list counts as empty, because the function itself was found.
		if err := add(ctx, api, function, &l); err != nil && !awserr.IsNotFound(err) {
			return lists{}, err
		}
	}
	return l, nil
}

// addAliases adds the aliases, and the versions that they route to, whatever their weight.
func addAliases(ctx context.Context, api API, function string, l *lists) error {
	pages := lambda.NewListAliasesPaginator(api, &lambda.ListAliasesInput{FunctionName: ptr.To(function)})
	for page, err := range lambdaapi.Each(ctx, "aliases", pages) {
		if err != nil {
			return errors.Wrapf(err, "cannot list the aliases of function %s", function)
		}
		for _, a := range page.Aliases {
			by := "alias " + ptr.Deref(a.Name, "")
			l.aliases = append(l.aliases, ptr.Deref(a.Name, ""))
			l.uses.add(ptr.Deref(a.FunctionVersion, ""), by)
			if a.RoutingConfig == nil {
				continue
			}
			for version := range a.RoutingConfig.AdditionalVersionWeights {
				l.uses.add(version, "a weight of "+by)
			}
		}
	}
	return nil
}

func addProvisioned(ctx context.Context, api API, function string, l *lists) error {
	pages := lambda.NewListProvisionedConcurrencyConfigsPaginator(api,
		&lambda.ListProvisionedConcurrencyConfigsInput{FunctionName: ptr.To(function)})
	for page, err := range lambdaapi.Each(ctx, "provisioned concurrency", pages) {
		if err != nil {
			return errors.Wrapf(err, "cannot list the provisioned concurrency of function %s", function)
		}
		for _, c := range page.ProvisionedConcurrencyConfigs {
			l.uses.add(qualifierOf(c.FunctionArn), "provisioned concurrency")
		}
	}
	return nil
}

func addInvokeConfigs(ctx context.Context, api API, function string, l *lists) error {
	pages := lambda.NewListFunctionEventInvokeConfigsPaginator(api,
		&lambda.ListFunctionEventInvokeConfigsInput{FunctionName: ptr.To(function)})
	for page, err := range lambdaapi.Each(ctx, "event invoke configs", pages) {
		if err != nil {
			return errors.Wrapf(err, "cannot list the event invoke configs of function %s", function)
		}
		for _, c := range page.FunctionEventInvokeConfigs {
			l.uses.add(qualifierOf(c.FunctionArn), "an event invoke config")
		}
	}
	return nil
}

func qualifierOf(arn *string) string { return functionname.OfARN(ptr.Deref(arn, "")).Qualifier }

// useOf returns what uses one version, according to calls for the version itself, or an empty string.
func useOf(ctx context.Context, api API, f Function, version string) (string, error) {
	by, err := mappingOf(ctx, api, f.ARN+":"+version)
	if err != nil || by != "" {
		return by, err
	}
	return policyOf(ctx, api, f.Name, version)
}

// mappingOf returns the event source mapping of a version, by the version's ARN. AWS does not
// document whether the list of a function includes those of its versions, so each version is
// listed separately, and only mappings with its ARN count.
func mappingOf(ctx context.Context, api API, arn string) (string, error) {
	pages := lambda.NewListEventSourceMappingsPaginator(api,
		&lambda.ListEventSourceMappingsInput{FunctionName: ptr.To(arn)})
	for page, err := range lambdaapi.Each(ctx, "event source mappings", pages) {
		if awserr.IsNotFound(err) {
			return "", nil
		}
		if err != nil {
			return "", errors.Wrapf(err, "cannot list the event source mappings of %s", arn)
		}
		for _, m := range page.EventSourceMappings {
			if ptr.Deref(m.FunctionArn, "") == arn {
				return "event source mapping " + ptr.Deref(m.UUID, ""), nil
			}
		}
	}
	return "", nil
}

// policyOf returns "a resource policy" if a policy of the version grants permissions, and an empty string otherwise.
func policyOf(ctx context.Context, api API, function, version string) (string, error) {
	out, err := api.GetPolicy(ctx, &lambda.GetPolicyInput{FunctionName: ptr.To(function), Qualifier: ptr.To(version)})
	if awserr.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", errors.Wrapf(err, "cannot read the policy of version %s of function %s", version, function)
	}
	d, err := policy.Parse(ptr.Deref(out.Policy, ""))
	if err == nil && len(d.Statements) == 0 { // A policy that cannot be parsed may have one.
		return "", nil
	}
	return "a resource policy", nil
}

// UnusedOf returns those versions of a function that nothing in AWS uses. It makes a call for each list that AWS has
// per function, and more for each version that is in none of them. It reserves nothing.
func UnusedOf(ctx context.Context, api API, f Function, versions []string) ([]string, error) {
	if len(versions) == 0 {
		return nil, nil
	}
	l, err := listsOf(ctx, api, f.Name)
	if err != nil {
		return nil, err
	}
	var unused []string
	for _, v := range versions {
		by := l.uses[v]
		if by == "" {
			if by, err = useOf(ctx, api, f, v); err != nil {
				return nil, err
			}
		}
		if by == "" {
			unused = append(unused, v)
		}
	}
	return unused, nil
}
