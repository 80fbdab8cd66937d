package cloudtrail

import (
	"regexp"
	"slices"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// verb is the beginning of the name of an operation. What follows is what it changes.
var verb = regexp.MustCompile("^(Add|Create|Delete|Publish|Put|Remove|Update)")

// dependents has the operations that also delete what belongs to what they delete.
var dependents = []string{"DeleteFunction", "DeleteAlias", "DeleteLayerVersion"}

// concerned has the kinds of managed resources that an operation may change, by what follows its verb. What is not
// listed may change all.
var concerned = map[string][]string{
	"FunctionCode":              {v1beta1.FunctionKind, v1beta1.VersionKind},
	"FunctionConfiguration":     {v1beta1.FunctionKind, v1beta1.VersionKind},
	"FunctionConcurrency":       {v1beta1.FunctionKind},
	"FunctionCodeSigningConfig": {v1beta1.FunctionKind},
	"FunctionRecursionConfig":   {v1beta1.FunctionKind},
	"FunctionScalingConfig":     {v1beta1.FunctionKind},
	"Version":                   {v1beta1.FunctionKind, v1beta1.VersionKind},

	"TagResource":   taggable,
	"UntagResource": taggable,

	"Permission":     {v1beta1.PermissionKind, v1beta1.ResourcePolicyKind},
	"ResourcePolicy": {v1beta1.PermissionKind, v1beta1.ResourcePolicyKind},

	"Alias":                        {v1beta1.AliasKind},
	"FunctionUrlConfig":            {v1beta1.FunctionURLKind},
	"FunctionEventInvokeConfig":    {v1beta1.FunctionEventInvokeConfigKind},
	"ProvisionedConcurrencyConfig": {v1beta1.ProvisionedConcurrencyConfigKind},
	"RuntimeManagementConfig":      {v1beta1.RuntimeManagementConfigKind},
	"EventSourceMapping":           {v1beta1.EventSourceMappingKind},
	"LayerVersion":                 {v1beta1.LayerVersionKind},
	"LayerVersionPermission":       {v1beta1.LayerVersionPermissionKind},
	"CodeSigningConfig":            {v1beta1.CodeSigningConfigKind},
	"CapacityProvider":             {v1beta1.CapacityProviderKind},
}

var taggable = []string{
	v1beta1.FunctionKind, v1beta1.EventSourceMappingKind, v1beta1.CodeSigningConfigKind, v1beta1.CapacityProviderKind,
}

// Concerns reports whether an operation may change what a kind of managed resource manages.
func Concerns(operation, kind string) bool {
	kinds, known := concerned[verb.ReplaceAllString(operation, "")]
	return !known || slices.Contains(dependents, operation) || slices.Contains(kinds, kind)
}
