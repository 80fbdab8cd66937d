package function

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// maxEnvironment is Lambda's limit for all names and values together, in bytes.
const maxEnvironment = 4096

// variableName matches the names that Lambda accepts for variables.
var variableName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]+$`)

// variables resolves the environment of settings at a path such as spec.forProvider. Single variables override whole
// objects, and a later object overrides an earlier one, as in a Pod.
func variables(
	ctx context.Context, r refs.Objects, namespace, at string, s v1beta1.FunctionSettings,
) (map[string]string, error) {
	e := s.Environment
	if e == nil {
		return nil, nil
	}
	at += "." + environmentPath
	out := map[string]string{}
	for _, s := range e.EnvFrom {
		if err := fromObject(ctx, r, namespace, at, s, out); err != nil {
			return nil, err
		}
	}
	for _, v := range e.VariablesFrom {
		if err := fromKey(ctx, r, namespace, at, v, out); err != nil {
			return nil, err
		}
	}
	maps.Copy(out, e.Variables)
	return out, reconcile.Invalid(checkEnvironment(at, out))
}

func fromObject(
	ctx context.Context, r refs.Objects, namespace, at string, s v1beta1.EnvironmentSource, out map[string]string,
) error {
	ref, optional := sourceRef(namespace, s)
	data, err := r.Get(ctx, ref)
	if refs.IsMissing(err) && optional {
		return nil
	}
	if err != nil {
		return errors.Wrapf(err, "cannot read %s.envFrom", at)
	}
	for _, k := range slices.Sorted(maps.Keys(data)) { // In order, so that the error is the same each time.
		name := ptr.Deref(s.Prefix, "") + k
		if !variableName.MatchString(name) {
			return reconcile.Invalid(errors.Errorf("key %q of %s is not a valid name of a Lambda environment variable "+
				"(a letter, then letters, digits or underscores): rename the key, or select single keys with "+
				"environment.variablesFrom", k, ref))
		}
		out[name] = string(data[k])
	}
	return nil
}

func fromKey(
	ctx context.Context, r refs.Objects, namespace, at string, v v1beta1.EnvironmentVariable, out map[string]string,
) error {
	ref, sel := refs.KeyOf(namespace, v.ValueFrom)
	value, err := refs.Value(ctx, r, ref, sel.Key)
	if refs.IsMissing(err) && ptr.Deref(sel.Optional, false) {
		return nil
	}
	if err != nil {
		return errors.Wrapf(err, "cannot read %s.variablesFrom[%s]", at, v.Name)
	}
	out[v.Name] = string(value)
	return nil
}

// environmentRefs returns the Secrets and ConfigMaps that the environment of settings reads.
func environmentRefs(namespace string, s v1beta1.FunctionSettings) []refs.ObjectRef {
	e := ptr.Deref(s.Environment, v1beta1.Environment{})
	var found []refs.ObjectRef
	for _, v := range e.VariablesFrom {
		if ref, _ := refs.KeyOf(namespace, v.ValueFrom); ref.Name != "" {
			found = append(found, ref)
		}
	}
	for _, v := range e.EnvFrom {
		if ref, _ := sourceRef(namespace, v); ref.Name != "" {
			found = append(found, ref)
		}
	}
	return found
}

// sourceRef returns the object that a source names, and whether it may be missing.
func sourceRef(namespace string, s v1beta1.EnvironmentSource) (ref refs.ObjectRef, optional bool) {
	if of := s.SecretRef; of != nil {
		return refs.SecretOf(namespace, of.Name), ptr.Deref(of.Optional, false)
	}
	of := ptr.Deref(s.ConfigMapRef, v1beta1.EnvironmentSourceReference{})
	return refs.ConfigMapOf(namespace, of.Name), ptr.Deref(of.Optional, false)
}

// environmentSize returns the observed size of an environment, as AWS measures it: in JSON. It is unknown if AWS
// could not decrypt the variables.
func environmentSize(e *types.EnvironmentResponse) advice.Sizes {
	if e == nil {
		e = &types.EnvironmentResponse{}
	}
	b, err := json.Marshal(e.Variables)
	if err != nil || e.Error != nil {
		return nil
	}
	return advice.Sizes{advice.EnvironmentNearLimit: len(b)}
}

// checkEnvironment returns an error that names a variable whose value is not text, which JSON would replace by another
// one, or the largest variables if Lambda would reject the environment for its size.
func checkEnvironment(at string, vars map[string]string) error {
	total := 0
	for _, k := range slices.Sorted(maps.Keys(vars)) {
		if !utf8.ValidString(vars[k]) {
			return errors.Errorf("the value of %s's variable %s is not UTF-8 text, which Lambda requires: encode it, "+
				"such as in base64", at, k)
		}
		total += len(k) + len(vars[k])
	}
	if total <= maxEnvironment {
		return nil
	}
	names := slices.SortedFunc(maps.Keys(vars), func(a, b string) int {
		return cmp.Or(len(vars[b])-len(vars[a]), strings.Compare(a, b))
	})
	return errors.Errorf(
		"%s has %d bytes of names and values, but Lambda allows %d: shorten it; the largest are %v",
		at, total, maxEnvironment, names[:min(3, len(names))],
	)
}

// observeVariables moves the variables that the manifest sets from settings to a content, with their observed values.
func (p plan) observeVariables(d reconcile.Desired[settings], s *settings, c *fingerprint.Content) {
	s.Environment = environment{}
	e := p.resource.config().Environment
	if e == nil {
		return
	}
	out := map[string]string{}
	for name, value := range e.Variables {
		if _, named := d.Settings.Environment.Variables[name]; named &&
			!d.Left.Covers("environment.variables["+name+"]") {
			out[name] = value
		}
	}
	if len(out) > 0 {
		c.Environment = &types.EnvironmentResponse{Variables: out}
	}
}

// parameters resolves the settings at a path such as spec.forProvider, except for the code.
func (r *resolver) parameters(ctx context.Context, namespace, at string, p v1beta1.FunctionSettings) (settings, error) {
	vars, err := variables(ctx, r.objects, namespace, at, p)
	if err != nil {
		return settings{}, err
	}
	p, err = refs.Resolve(ctx, r.fields, namespace, at, p)
	return fromSpec(p, vars), err
}

// initial resolves the settings of spec.initProvider. If it takes all variables of an object, or those of one that is
// missing, it is not known which ones it has set: all that the function has in AWS are left alone, and an object with
// all of them is not read. have is nil if they are not known, either.
func (r *resolver) initial(
	ctx context.Context, namespace string, p v1beta1.FunctionSettings, have *environment,
) (settings, error) {
	const at = "spec.initProvider"
	if have == nil || p.Environment == nil || len(p.Environment.EnvFrom) == 0 {
		if s, err := r.parameters(ctx, namespace, at, p); have == nil || !refs.IsMissing(err) {
			return s, err
		}
	}
	p.Environment = nil
	s, err := r.parameters(ctx, namespace, at, p)
	s.Environment = *have
	return s, err
}

// fromSpec returns a block of spec in comparable form. The caller has resolved references into p.
func fromSpec(p v1beta1.FunctionSettings, variables map[string]string) settings {
	s := settings{Environment: environment{Variables: diff.Secrets(variables)}}
	specToSettings.Copy(&s, &p)
	s.Layers = slices.DeleteFunc(slices.Concat(p.Layers, p.ResolvedLayers), func(arn string) bool {
		return arn == "" // An optional reference to a layer that does not exist.
	})
	s.FileSystemConfigs = plainFileSystems(p.FileSystemConfigs)
	s.CapacityProviderConfig = plainCapacityProvider(p.CapacityProviderConfig)
	s.CodeSigningConfigArn = cmp.Or(p.CodeSigningConfigArn, p.ResolvedCodeSigningConfigArn)
	return s
}
