package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// function returns a function, and the Secret with its variables.
func (b *builder) function(f *function) entry {
	file := b.name(v1beta1.FunctionKind, f.name)
	e := entry{
		kind: v1beta1.FunctionKind, id: f.name, parts: []string{f.name}, external: f.name, file: file, policies: update,
		secret: b.secret(f, file),
		item:   Item{Limits: f.unread, Comments: codeComments(f)},
	}
	if isImage(f) {
		e.policies = create
	}
	if stack := f.out.Tags["aws:cloudformation:stack-name"]; stack != "" {
		e.item.Warnings = append(e.item.Warnings, fmt.Sprintf("CloudFormation manages it by the stack %s: "+
			"remove it from the stack before you change it here, or both will change it", stack))
	}
	if why := hidden(f.config()); why != "" {
		e.item.locked = true
		e.item.Limits = append(e.item.Limits, why)
	}
	e.item.Sensitive = b.o.Inline && len(variables(f)) > 0
	e.complete = func(s map[string]any) { b.completeFunction(f, s) }
	return e
}

func isImage(f *function) bool { return f.config().PackageType == types.PackageTypeImage }

// codeComments explains how to add the code to the manifest.
func codeComments(f *function) []string {
	if isImage(f) {
		return nil
	}
	out := []string{
		"AWS does not say where the code comes from, so the manifest has no code, and managementPolicies have no " +
			"Create: the",
		"provider leaves the code as it is. To deploy code with this manifest, set spec.forProvider.code, and " +
			"managementPolicies",
		"to [Observe, Create, Update]. The SHA-256 of the archive in AWS is " +
			ptr.Deref(f.config().CodeSha256, "(unknown)"),
	}
	if f.out.Code != nil && ptr.Deref(f.out.Code.SourceKMSKeyArn, "") != "" {
		out = append(out, "Then also set code.sourceKmsKeyArn to "+*f.out.Code.SourceKMSKeyArn)
	}
	return out
}

// hidden returns which settings AWS has but does not return. It is empty if there are none.
func hidden(c *types.FunctionConfiguration) string {
	if c.Environment != nil && c.Environment.Error != nil {
		return fmt.Sprintf("AWS does not return its environment variables (%s): make its KMS key usable, or grant "+
			"kms:Decrypt on it, and import it again", ptr.Deref(c.Environment.Error.ErrorCode, "unknown error"))
	}
	if i := c.ImageConfigResponse; i != nil && i.Error != nil {
		return fmt.Sprintf("AWS does not return its imageConfig (%s)", ptr.Deref(i.Error.ErrorCode, "unknown error"))
	}
	return ""
}

func variables(f *function) map[string]string {
	if e := f.config().Environment; e != nil {
		return e.Variables
	}
	return nil
}

// secret returns the Secret with the variables of a function, nil if there is none.
func (b *builder) secret(f *function, file string) *Item {
	if b.o.Inline || len(variables(f)) == 0 {
		return nil
	}
	name := b.name(secretKind, f.name)
	return &Item{
		Kind: secretKind, Name: name, AWSName: f.name, File: file, Sensitive: true,
		Comments: []string{"The environment variables of function " + f.name + "."},
		Secret: &corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: secretKind},
			ObjectMeta: metav1.ObjectMeta{Namespace: b.o.Namespace, Name: name},
			StringData: variables(f),
		},
	}
}

// completeFunction adds the settings that status does not show, and references to what is imported too.
func (b *builder) completeFunction(f *function, s map[string]any) {
	withTags(s, f.out.Tags)
	switch vars := variables(f); {
	case len(vars) == 0:
	case b.o.Inline:
		values := map[string]any{}
		for k, v := range vars {
			values[k] = v
		}
		s["environment"] = map[string]any{"variables": values}
	default:
		s["environment"] = map[string]any{"envFrom": []any{map[string]any{"secretRef": b.ref(secretKind, f.name)}}}
	}
	if c := f.out.Code; isImage(f) && c != nil && ptr.Deref(c.ImageUri, "") != "" {
		s["code"] = map[string]any{"imageUri": *c.ImageUri}
	}
	if f.recursiveLoop == types.RecursiveLoopAllow {
		s["recursiveLoop"] = string(f.recursiveLoop)
	}
	if sc := f.scaling; sc != nil {
		for name, v := range map[string]*int32{
			"minExecutionEnvironments": sc.MinExecutionEnvironments,
			"maxExecutionEnvironments": sc.MaxExecutionEnvironments,
		} {
			if v != nil {
				set(s, "functionScalingConfig."+name, int64(*v))
			}
		}
	}
	if f.signing != "" {
		s["codeSigningConfigArnRef"] = b.ref(v1beta1.CodeSigningConfigKind, f.signing)
	}
	b.referLayers(f, s)
	b.referCapacityProvider(f, s)
}

// referLayers replaces ARNs of layers by references. Those that are referred to come after all others, so the ARNs stay
// if AWS has another order.
func (b *builder) referLayers(f *function, s map[string]any) {
	var arns, refs []any
	for _, l := range f.config().Layers {
		arn := ptr.Deref(l.Arn, "")
		switch own := b.name(v1beta1.LayerVersionKind, arn) != ""; {
		case own:
			refs = append(refs, b.ref(v1beta1.LayerVersionKind, arn))
		case len(refs) > 0:
			return
		default:
			arns = append(arns, arn)
		}
	}
	if len(refs) == 0 {
		return
	}
	s["layerRefs"] = refs
	if delete(s, "layers"); len(arns) > 0 {
		s["layers"] = arns
	}
}

func (b *builder) referCapacityProvider(f *function, s map[string]any) {
	arn := capacityProviderARN(f.config())
	if !slices.Contains(b.account.providers, arn) {
		return
	}
	const block = "capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig"
	set(s, block+".capacityProviderArnRef", b.ref(v1beta1.CapacityProviderKind, lastPart(arn)))
	unstructured.RemoveNestedField(s, strings.Split(block+".capacityProviderArn", ".")...)
}
