package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
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

// listedToGot copies a mapping of a list to the answer about the mapping alone.
var listedToGot = samefields.MustNew[types.EventSourceMappingConfiguration, lambda.GetEventSourceMappingOutput]()

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

// isBroken reports whether an error is not an answer of AWS about one resource, so that reading on makes no sense.
func isBroken(err error) bool {
	if err == nil {
		return false
	}
	_, answered := errors.AsType[smithy.APIError](err)
	return !answered && !awserr.IsLacking(err) || awserr.IsThrottled(err) || awserr.IsUnauthenticated(err)
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
