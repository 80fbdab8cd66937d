package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	"golang.org/x/sync/errgroup"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff/samefields"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

const (
	// workers is the number of functions that are read at a time.
	workers = 16

	// mostPages limits the pages of a list, so that reading ends whatever the endpoint answers.
	mostPages = 10000
)

// A reader reads an account.
type reader struct {
	Options

	api      *lambda.Client
	recorder *recorder
}

// read reads what the selected functions of an account have.
func (r *reader) read(ctx context.Context, id, region string) (*account, error) {
	a := &account{
		id: id, region: region, layerPolicies: map[string]string{}, unread: map[string]string{},
		managed: map[string]string{},
	}
	l, err := r.list(ctx)
	if err != nil {
		return nil, clean(err)
	}
	if a.functions, err = r.readAll(ctx, l.functions, func(f *function) error {
		f.mappings, f.signing, f.published = l.mappings[f.name], l.signing[f.name], l.published[f.name]
		if err := r.readFunction(ctx, f, l.layers); err != nil || f.out == nil || f.manager != "" {
			return err
		}
		if err := f.tolerate("its code signing config", l.signingErr); err != nil {
			return err
		}
		return r.readMappings(ctx, f.mappings)
	}); err != nil {
		return nil, err
	}
	a.functions = slices.DeleteFunc(a.functions, func(f *function) bool {
		if f.manager != "" {
			a.managed[f.name] = f.manager
		}
		return f.manager != ""
	})
	a.complete()
	return a, r.readLayers(ctx, a)
}

// Lists has the lists of a whole account.
type lists struct {
	// functions are the names of the functions to read, and published those that have versions.
	functions []string
	published map[string]bool

	// layers are by function and version, with a colon in between.
	layers map[string][]string

	// mappings and ARNs of code signing configs are by function.
	mappings map[string][]types.EventSourceMappingConfiguration
	signing  map[string]string

	// signingErr is AWS's answer if the code signing configs could not be listed.
	signingErr error
}

func (r *reader) list(ctx context.Context) (*lists, error) {
	l := &lists{published: map[string]bool{}, layers: map[string][]string{}}
	if err := r.listFunctions(ctx, l); err != nil {
		return nil, err
	}
	var err error
	if l.mappings, err = r.listMappings(ctx); err != nil {
		return nil, err
	}
	if l.signing, l.signingErr = r.listSigning(ctx); isBroken(l.signingErr) {
		return nil, l.signingErr
	}
	return l, nil
}

// paged calls a function with each page of a list.
func paged[P any](
	ctx context.Context, what string, pages lambdaapi.Paginator[P, lambda.Options], each func(page *P),
) error {
	for n := 0; pages.HasMorePages(); n++ {
		if n == mostPages {
			return fmt.Errorf("cannot list %s: there are more than %d pages", what, mostPages)
		}
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("cannot list %s: %w", what, err)
		}
		each(page)
	}
	return nil
}

// clean returns the error of a call in AWS's words.
func clean(err error) error {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return fmt.Errorf("%s: %s", e.ErrorCode(), e.ErrorMessage())
	}
	return awserr.Sanitize(err)
}

// listFunctions lists the functions with all their versions.
func (r *reader) listFunctions(ctx context.Context, l *lists) error {
	pages := lambda.NewListFunctionsPaginator(r.api,
		&lambda.ListFunctionsInput{FunctionVersion: types.FunctionVersionAll})
	err := paged(ctx, "functions", pages, func(out *lambda.ListFunctionsOutput) {
		for _, c := range out.Functions {
			name, version := ptr.Deref(c.FunctionName, ""), ptr.Deref(c.Version, "")
			switch {
			case version != functionname.Latest:
				l.published[name] = true
			case len(r.Names) == 0 || slices.Contains(r.Names, name):
				l.functions = append(l.functions, name)
			}
			for _, layer := range c.Layers {
				l.layers[name+":"+version] = append(l.layers[name+":"+version], ptr.Deref(layer.Arn, ""))
			}
		}
	})
	slices.Sort(l.functions)
	l.functions = slices.Compact(l.functions)
	for _, n := range r.Names {
		if err == nil && !slices.Contains(l.functions, n) {
			err = fmt.Errorf("function %s does not exist in this region", n)
		}
	}
	return err
}

// listedToGot copies a mapping of a list to the answer about the mapping alone.
var listedToGot = samefields.MustNew[types.EventSourceMappingConfiguration, lambda.GetEventSourceMappingOutput]()

// listMappings returns all event source mappings, by the name of their function.
func (r *reader) listMappings(ctx context.Context) (map[string][]types.EventSourceMappingConfiguration, error) {
	all := map[string][]types.EventSourceMappingConfiguration{}
	pages := lambda.NewListEventSourceMappingsPaginator(r.api, &lambda.ListEventSourceMappingsInput{})
	return all, paged(ctx, "event source mappings", pages, func(out *lambda.ListEventSourceMappingsOutput) {
		for _, m := range out.EventSourceMappings {
			m.EventSourceMappingArn = lambdaapi.MappingARN(m.EventSourceMappingArn)
			name := functionname.OfARN(ptr.Deref(m.FunctionArn, "")).Function
			all[name] = append(all[name], m)
			if ptr.Deref(m.KMSKeyArn, "") == "" { // A list does not decrypt filters.
				got := &lambda.GetEventSourceMappingOutput{}
				listedToGot.Copy(got, &m)
				r.recorder.answered("GetEventSourceMapping", &lambda.GetEventSourceMappingInput{UUID: m.UUID}, got)
			}
		}
	})
}

// listSigning returns the ARN of the code signing config of each function that has one. Listing the functions of each
// config takes fewer calls than asking for the config of each function.
func (r *reader) listSigning(ctx context.Context) (map[string]string, error) {
	var configs []string
	pages := lambda.NewListCodeSigningConfigsPaginator(r.api, &lambda.ListCodeSigningConfigsInput{})
	err := paged(ctx, "code signing configs", pages, func(out *lambda.ListCodeSigningConfigsOutput) {
		for _, c := range out.CodeSigningConfigs {
			arn := ptr.Deref(c.CodeSigningConfigArn, "")
			configs = append(configs, arn)
			r.recorder.answered("GetCodeSigningConfig", &lambda.GetCodeSigningConfigInput{CodeSigningConfigArn: &arn},
				&lambda.GetCodeSigningConfigOutput{CodeSigningConfig: &c})
		}
	})
	if err != nil {
		return nil, err
	}
	of := map[string]string{}
	for _, arn := range configs {
		pages := lambda.NewListFunctionsByCodeSigningConfigPaginator(r.api,
			&lambda.ListFunctionsByCodeSigningConfigInput{CodeSigningConfigArn: &arn})
		err := paged(ctx, "functions of "+arn, pages, func(out *lambda.ListFunctionsByCodeSigningConfigOutput) {
			for _, f := range out.FunctionArns {
				name := functionname.OfARN(f).Function
				of[name] = arn
				r.recorder.answered("GetFunctionCodeSigningConfig",
					&lambda.GetFunctionCodeSigningConfigInput{FunctionName: &name},
					&lambda.GetFunctionCodeSigningConfigOutput{CodeSigningConfigArn: &arn, FunctionName: &name})
			}
		})
		if err != nil && !awserr.IsNotFound(err) { // It was deleted meanwhile.
			return nil, err
		}
	}
	return of, nil
}

// readAll reads the functions of the given names, several at a time. It returns those that read has found and selected.
func (r *reader) readAll(ctx context.Context, names []string, read func(*function) error) ([]*function, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	var (
		mu   sync.Mutex
		out  []*function
		done int
	)
	for _, name := range names {
		group.Go(func() error {
			f := &function{
				name: name, policies: map[string]string{},
				runtimes: map[string]*lambda.GetRuntimeManagementConfigOutput{},
			}
			err := ctx.Err()
			if err == nil {
				err = read(f)
			}
			mu.Lock()
			defer mu.Unlock()
			if done++; f.out != nil {
				out = append(out, f)
			}
			r.Progress(Reading, done, len(names))
			if err != nil {
				return fmt.Errorf("cannot read function %s: %w", name, clean(err))
			}
			return nil
		})
	}
	err := group.Wait()
	return out, err
}

// readMappings reads the tags of mappings, so that they are known when the mappings are observed, and whether AWS can
// decrypt their filters.
func (r *reader) readMappings(ctx context.Context, all []types.EventSourceMappingConfiguration) error {
	for i, m := range all {
		if m.EventSourceMappingArn != nil {
			_, err := r.api.ListTags(ctx, &lambda.ListTagsInput{Resource: m.EventSourceMappingArn})
			if isBroken(err) {
				return err
			}
		}
		if ptr.Deref(m.KMSKeyArn, "") == "" {
			continue
		}
		out, err := r.api.GetEventSourceMapping(ctx, &lambda.GetEventSourceMappingInput{UUID: m.UUID})
		if isBroken(err) {
			return err
		}
		if err == nil {
			all[i].FilterCriteriaError = out.FilterCriteriaError
		}
	}
	return nil
}

// readLayers reads the versions of layers in use, and their policies. A version that was deleted is left out: only the
// functions that have it still do.
func (r *reader) readLayers(ctx context.Context, a *account) error {
	var existing []string
	for _, arn := range a.layers {
		layer, number := layerOf(arn)
		_, err := r.api.GetLayerVersion(ctx, &lambda.GetLayerVersionInput{LayerName: &layer, VersionNumber: &number})
		if isBroken(err) {
			return fmt.Errorf("cannot read layer version %s: %w", arn, clean(err))
		}
		if awserr.IsNotFound(err) {
			continue
		}
		existing = append(existing, arn)
		out, err := r.api.GetLayerVersionPolicy(ctx, &lambda.GetLayerVersionPolicyInput{
			LayerName:     &layer,
			VersionNumber: &number,
		})
		if isBroken(err) {
			return fmt.Errorf("cannot read the policy of layer version %s: %w", arn, clean(err))
		}
		switch {
		case err == nil:
			a.layerPolicies[arn] = ptr.Deref(out.Policy, "")
		case !awserr.IsNotFound(err):
			a.unread[arn] = fmt.Sprintf("its policy could not be read: %v", clean(err))
		}
	}
	a.layers = existing
	return nil
}

// isBroken reports whether an error is not an answer of AWS about one resource, so that reading on makes no sense.
func isBroken(err error) bool {
	if err == nil {
		return false
	}
	_, answered := errors.AsType[smithy.APIError](err)
	return !answered && !awserr.IsLacking(err) || awserr.IsThrottled(err) || awserr.IsUnauthenticated(err)
}
