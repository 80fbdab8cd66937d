package importer

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"golang.org/x/sync/errgroup"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

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
