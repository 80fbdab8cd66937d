package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// readFunction reads what a function has, unless the cluster manages it. f.out stays nil if it is not selected, or was
// deleted meanwhile. layers are those of all versions.
func (r *reader) readFunction(ctx context.Context, f *function, layers map[string][]string) error {
	out, err := r.api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: &f.name})
	switch {
	case awserr.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case len(r.Selector) > 0 && out.TagsError != nil:
		return fmt.Errorf("cannot select it by its tags, grant lambda:ListTags on it: %s",
			kubectl.OneLine(ptr.Deref(out.TagsError.Message, "")))
	case out.Configuration == nil || !r.Selector.Matches(out.Tags):
		return nil
	}
	f.out = out
	if f.manager = r.Manager(ctx, out.Tags); f.manager != "" {
		return nil
	}
	for _, read := range []func(context.Context, *function) error{
		r.aliases, r.urls, r.events, r.provisioned,
		r.recursion, r.scaling,
	} {
		if err := read(ctx, f); err != nil {
			return err
		}
	}
	f.versions = f.inUse()
	for _, l := range append([]string{functionname.Latest}, f.versions...) {
		f.layers = append(f.layers, layers[f.name+":"+l]...)
	}
	if err := r.runtimes(ctx, f); err != nil {
		return err
	}
	return r.policies(ctx, f)
}

// tolerate returns an error that ends the import, or nil if AWS has answered that this one read does not work, which is
// then noted. NotFound means that there is nothing to read.
func (f *function) tolerate(what string, err error) error {
	switch {
	case err == nil, awserr.IsNotFound(err):
		return nil
	case isBroken(err):
		return fmt.Errorf("cannot read %s: %w", what, err)
	}
	f.unread = append(f.unread, fmt.Sprintf("%s could not be read: %v", what, clean(err)))
	return nil
}

func (r *reader) aliases(ctx context.Context, f *function) error {
	pages := lambda.NewListAliasesPaginator(r.api, &lambda.ListAliasesInput{FunctionName: &f.name})
	return f.tolerate("its aliases", paged(ctx, "aliases", pages, func(out *lambda.ListAliasesOutput) {
		f.aliases = append(f.aliases, out.Aliases...)
	}))
}

func (r *reader) urls(ctx context.Context, f *function) error {
	pages := lambda.NewListFunctionUrlConfigsPaginator(r.api,
		&lambda.ListFunctionUrlConfigsInput{FunctionName: &f.name})
	return f.tolerate("its URLs", paged(ctx, "URLs", pages, func(out *lambda.ListFunctionUrlConfigsOutput) {
		f.urls = append(f.urls, out.FunctionUrlConfigs...)
	}))
}

func (r *reader) events(ctx context.Context, f *function) error {
	pages := lambda.NewListFunctionEventInvokeConfigsPaginator(r.api,
		&lambda.ListFunctionEventInvokeConfigsInput{FunctionName: &f.name})
	return f.tolerate("its event invoke configs", paged(ctx, "event invoke configs", pages,
		func(out *lambda.ListFunctionEventInvokeConfigsOutput) {
			f.events = append(f.events, out.FunctionEventInvokeConfigs...)
		}))
}

func (r *reader) provisioned(ctx context.Context, f *function) error {
	if !f.published {
		return nil // $LATEST has none.
	}
	pages := lambda.NewListProvisionedConcurrencyConfigsPaginator(r.api,
		&lambda.ListProvisionedConcurrencyConfigsInput{FunctionName: &f.name})
	return f.tolerate("its provisioned concurrency", paged(ctx, "provisioned concurrency", pages,
		func(out *lambda.ListProvisionedConcurrencyConfigsOutput) {
			f.provisioned = append(f.provisioned, out.ProvisionedConcurrencyConfigs...)
		}))
}

func (r *reader) recursion(ctx context.Context, f *function) error {
	out, err := r.api.GetFunctionRecursionConfig(ctx, &lambda.GetFunctionRecursionConfigInput{FunctionName: &f.name})
	if err == nil {
		f.recursiveLoop = out.RecursiveLoop
	}
	return f.tolerate("its recursive loop detection", err)
}

func (r *reader) scaling(ctx context.Context, f *function) error {
	if f.config().CapacityProviderConfig == nil {
		return nil
	}
	out, err := r.api.GetFunctionScalingConfig(ctx, &lambda.GetFunctionScalingConfigInput{
		FunctionName: &f.name,
		Qualifier:    ptr.To(functionname.LatestPublished),
	})
	if err == nil {
		if f.scaling = out.RequestedFunctionScalingConfig; f.scaling == nil {
			f.scaling = out.AppliedFunctionScalingConfig
		}
	}
	return f.tolerate("its scaling config", err)
}

// runtimes reads the runtime management of the function and of its versions in use. Images have none.
func (r *reader) runtimes(ctx context.Context, f *function) error {
	if f.config().PackageType == types.PackageTypeImage {
		return nil
	}
	for _, q := range append([]string{functionname.Latest}, f.versions...) {
		out, err := r.api.GetRuntimeManagementConfig(ctx, &lambda.GetRuntimeManagementConfigInput{
			FunctionName: &f.name,
			Qualifier:    &q,
		})
		if err != nil {
			if err := f.tolerate("its runtime management config", err); err != nil {
				return err
			}
			continue
		}
		if out.UpdateRuntimeOn != types.UpdateRuntimeOnAuto && out.UpdateRuntimeOn != "" {
			f.runtimes[q] = out
		}
	}
	return nil
}

// policies reads the policies of the function, its aliases and its versions in use.
func (r *reader) policies(ctx context.Context, f *function) error {
	qualifiers := []string{""}
	for _, a := range f.aliases {
		qualifiers = append(qualifiers, ptr.Deref(a.Name, ""))
	}
	for _, q := range slices.Concat(qualifiers, f.versions) {
		in := &lambda.GetPolicyInput{FunctionName: &f.name}
		if q != "" {
			in.Qualifier = &q
		}
		out, err := r.api.GetPolicy(ctx, in)
		if err == nil {
			f.policies[q] = ptr.Deref(out.Policy, "")
		}
		if err := f.tolerate("the policy of "+f.qualified(q), err); err != nil {
			return err
		}
	}
	return nil
}
