package v1beta1

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// observedKinds are all kinds of managed resources.
var observedKinds = []any{
	Alias{},
	CapacityProvider{},
	CodeSigningConfig{},
	EventSourceMapping{},
	Function{},
	FunctionEventInvokeConfig{},
	FunctionURL{},
	Invocation{},
	LayerVersion{},
	LayerVersionPermission{},
	Permission{},
	ProvisionedConcurrencyConfig{},
	ResourcePolicy{},
	RuntimeManagementConfig{},
	Version{},
}

// how matches fields of all kinds that configure where the provider gets a value, or what it does. AWS has no such
// settings.
var how = regexp.MustCompile(
	`^region$|(Ref|Refs|Selector|From)(\[\])?(\.|$)|^(publish|publishOn|publishTo|publishPolicy|historyLimit|oldVersions)$`,
)

// elsewhere are settings that status.atProvider shows in another field, by kind and path. The value is a field of
// status, or begins with a hyphen and is the reason why there is none.
var elsewhere = map[string]map[string]string{
	"CapacityProvider": {
		`vpcConfig\.subnetIds`: "subnetIds", `vpcConfig\.securityGroupIds`: "securityGroupIds",
		`permissionsConfig\..*`: "capacityProviderOperatorRoleArn", `tags`: "tagKeys",
	},
	"CodeSigningConfig": {
		`allowedPublishers\..*`:   "signingProfileVersionArns",
		`codeSigningPolicies\..*`: "untrustedArtifactOnDeployment",
		`tags`:                    "tagKeys",
	},
	"EventSourceMapping": {
		`functionName|qualifier`: "functionArn",
		`enabled`:                "state",
		`destinationConfig\..*`:  "onFailureDestination",
		`tags`:                   "tagKeys",
	},
	"Function": {
		`code\.sourceKmsKeyArn`:              "sourceKmsKeyArn",
		`code\.imageUri|code\.trackImageTag`: "imageUri",
		`code\..*`:                           "codeSha256",
		`environment\..*`:                    "environmentVariableNames",
		`ephemeralStorage\.size`:             "ephemeralStorageSize",
		`tags`:                               "tagKeys",
		`publishRevision`:                    "- versions have it as their description",
		`replace.*|detach.*`:                 "- it says what a deletion does first",
	},
	"FunctionEventInvokeConfig": {
		`destinationConfig\.onFailure\..*`: "onFailureDestination",
		`destinationConfig\.onSuccess\..*`: "onSuccessDestination",
	},
	"Invocation":                   {`.*`: "- it is sent with an invocation, and AWS keeps nothing of it"},
	"LayerVersion":                 {`content\..*`: "codeSha256"},
	"LayerVersionPermission":       {`action|organizationId`: "statement"},
	"Permission":                   {`.*`: "statement"},
	"ProvisionedConcurrencyConfig": {`provisionedConcurrentExecutions`: "requestedProvisionedConcurrentExecutions"},
}

// TestStatusShowsWhatSpecSets checks that status.atProvider shows every setting of spec, so that a manifest can be
// written from it.
func TestStatusShowsWhatSpecSets(t *testing.T) {
	for _, kind := range observedKinds {
		typ := reflect.TypeOf(kind)
		spec, status := block(typ, "Spec", "ForProvider"), block(typ, "Status", "AtProvider")
		used := map[string]bool{}
		for _, p := range spec {
			if how.MatchString(p) || slices.Contains(status, p) {
				continue
			}
			pattern, shown := shownBy(typ.Name(), p)
			used[pattern] = true
			switch {
			case shown == "":
				t.Errorf("%s: spec.forProvider.%s is not shown in status.atProvider", typ.Name(), p)
			case !strings.HasPrefix(shown, "- ") && !slices.Contains(status, shown):
				t.Errorf("%s: status.atProvider has no %s", typ.Name(), shown)
			}
		}
		for pattern := range elsewhere[typ.Name()] {
			if !used[pattern] {
				t.Errorf("%s: no setting is like %s any more", typ.Name(), pattern)
			}
		}
	}
}

// shownBy returns the field of status that shows a setting, by the longest matching pattern.
func shownBy(kind, path string) (pattern, field string) {
	for p, f := range elsewhere[kind] {
		if len(p) > len(pattern) && regexp.MustCompile("^("+p+")$").MatchString(path) {
			pattern, field = p, f
		}
	}
	return pattern, field
}

func block(typ reflect.Type, names ...string) []string {
	for _, n := range names {
		f, _ := typ.FieldByName(n)
		typ = f.Type
	}
	return paths(typ, "")
}

// paths returns the paths of the fields of a type, as users write them. A list is one path, followed by the fields of
// its elements.
func paths(typ reflect.Type, at string) []string {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || typ.PkgPath() != reflect.TypeFor[Function]().PkgPath() {
		return []string{at}
	}
	var out []string
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch name {
		case "-":
		case "":
			out = append(out, paths(f.Type, at)...)
		default:
			out = append(out, paths(f.Type, strings.TrimPrefix(at+"."+name, "."))...)
		}
	}
	return out
}
