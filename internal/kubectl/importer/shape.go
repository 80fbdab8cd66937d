package importer

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// A shape maps status.atProvider of a kind to spec.forProvider. Fields of the same name are copied.
type shape struct {
	// moved are fields of status that spec has under another path.
	moved map[string]string

	// identity are fields of the same name that name the resource, which the references of the resource replace.
	identity []string

	// none says that no field is copied, because the resource is only observed.
	none bool
}

// shapes has the shapes of the kinds that are not copied as they are.
var shapes = map[string]shape{
	v1beta1.CapacityProviderKind: {moved: map[string]string{
		"subnetIds": "vpcConfig.subnetIds", "securityGroupIds": "vpcConfig.securityGroupIds",
		"capacityProviderOperatorRoleArn": "permissionsConfig.capacityProviderOperatorRoleArn",
	}},
	v1beta1.CodeSigningConfigKind: {moved: map[string]string{
		"signingProfileVersionArns":     "allowedPublishers.signingProfileVersionArns",
		"untrustedArtifactOnDeployment": "codeSigningPolicies.untrustedArtifactOnDeployment",
	}},
	v1beta1.EventSourceMappingKind: {
		moved:    map[string]string{"onFailureDestination": "destinationConfig.onFailure.destination"},
		identity: []string{"functionName"},
	},
	v1beta1.FunctionKind: {
		moved:    map[string]string{"ephemeralStorageSize": "ephemeralStorage.size"},
		identity: []string{"codeSigningConfigArn"},
	},
	v1beta1.FunctionEventInvokeConfigKind: {
		moved: map[string]string{
			"onFailureDestination": "destinationConfig.onFailure.destination",
			"onSuccessDestination": "destinationConfig.onSuccess.destination",
		},
		identity: []string{"functionName", "qualifier"},
	},
	v1beta1.FunctionURLKind: {identity: []string{"functionName", "qualifier"}},
	v1beta1.AliasKind:       {identity: []string{"functionName"}},
	v1beta1.ProvisionedConcurrencyConfigKind: {
		moved:    map[string]string{"requestedProvisionedConcurrentExecutions": "provisionedConcurrentExecutions"},
		identity: []string{"functionName", "qualifier"},
	},
	v1beta1.RuntimeManagementConfigKind: {identity: []string{"functionName", "qualifier"}},
	v1beta1.VersionKind:                 {none: true},
}

// settingsOf returns the settings of spec.forProvider that status.atProvider shows of a resource.
func settingsOf(kind string, mg reconcile.Managed) (map[string]any, error) {
	u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(mg)
	if err != nil {
		return nil, err
	}
	status, _, err := unstructured.NestedMap(u, "status", "atProvider")
	if err != nil {
		return nil, err
	}
	out, s := map[string]any{}, shapes[kind]
	if s.none {
		return out, nil
	}
	for _, name := range fieldsOf(mg) {
		if v, ok := status[name]; ok && !slices.Contains(s.identity, name) {
			out[name] = v
		}
	}
	for from, to := range s.moved {
		if v, ok := status[from]; ok {
			set(out, to, v)
		}
	}
	return out, nil
}

// set sets a field of a nested map by its path, on which there are only maps.
func set(m map[string]any, path string, value any) {
	_ = unstructured.SetNestedField(m, value, strings.Split(path, ".")...)
}

// fieldsOf returns the names of the fields of spec.forProvider of a resource.
func fieldsOf(mg reconcile.Managed) []string {
	return jsonNames(reflect.ValueOf(mg).Elem().FieldByName("Spec").FieldByName("ForProvider").Type())
}

// jsonNames returns the names of the fields of a struct in JSON.
func jsonNames(t reflect.Type) []string {
	var out []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch name {
		case "-":
		case "":
			out = append(out, jsonNames(f.Type)...)
		default:
			out = append(out, name)
		}
	}
	return out
}

const (
	// reservedPrefix is the prefix of tags that only the provider itself sets.
	reservedPrefix = "crossplane-"

	// mostTags is the maximum number of tags of a manifest. AWS allows 50, of which the provider sets six.
	mostTags = 44
)

// withTags adds the tags to settings that are part of spec: neither AWS's nor those that say who owns a resource. Tags
// that no manifest can have are left out, so that the plan shows that the provider would remove them.
func withTags(settings map[string]any, tags map[string]string) {
	out := map[string]any{}
	for k, v := range tags {
		if !strings.HasPrefix(strings.ToLower(k), "aws:") && !strings.HasPrefix(k, reservedPrefix) {
			out[k] = v
		}
	}
	if len(out) > 0 && len(out) <= mostTags {
		settings["tags"] = out
	}
}
