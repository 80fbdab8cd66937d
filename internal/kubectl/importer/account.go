package importer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// An account has the resources of an account in a region. All lists are sorted.
type account struct {
	// id is the account's.
	id, region string

	functions []*function

	// managed has the functions that are not imported because the cluster manages them: the resource, by their names.
	managed map[string]string

	// ARNs of the layer versions, code signing configs and capacity providers of this account that the functions use.
	layers, signing, providers []string

	// layerPolicies has the policies of the layers that have one, and unread says of others why they could not be read.
	layerPolicies, unread map[string]string
}

// A function has the settings of a function, and the resources that belong to it.
type function struct {
	name string
	out  *lambda.GetFunctionOutput

	// manager is the resource of the cluster that manages it, if any.
	manager string

	aliases     []types.AliasConfiguration
	urls        []types.FunctionUrlConfig
	events      []types.FunctionEventInvokeConfig
	provisioned []types.ProvisionedConcurrencyConfigListItem
	mappings    []types.EventSourceMappingConfiguration

	// published reports whether there are versions, and versions are the numbers of those that something uses.
	published bool
	versions  []string

	// policies are by qualifier, as are runtimes, which has what is not AWS's default.
	policies map[string]string
	runtimes map[string]*lambda.GetRuntimeManagementConfigOutput

	recursiveLoop types.RecursiveLoop
	scaling       *types.FunctionScalingConfig
	signing       string

	// layers of the function and of its versions that something uses.
	layers []string

	// unread describes, in sentences, the settings that could not be read.
	unread []string
}

func (f *function) config() *types.FunctionConfiguration { return f.out.Configuration }

// inUse returns the numbers of the versions that something uses, in order.
func (f *function) inUse() []string {
	var out []string
	add := func(qualifier string) {
		if _, err := strconv.Atoi(qualifier); err == nil && !slices.Contains(out, qualifier) {
			out = append(out, qualifier)
		}
	}
	for _, a := range f.aliases {
		add(ptr.Deref(a.FunctionVersion, ""))
		if a.RoutingConfig != nil {
			for v := range a.RoutingConfig.AdditionalVersionWeights {
				add(v)
			}
		}
	}
	for _, m := range f.mappings {
		add(qualifierOf(m.FunctionArn))
	}
	for _, p := range f.provisioned {
		add(qualifierOf(p.FunctionArn))
	}
	for _, e := range f.events {
		add(qualifierOf(e.FunctionArn))
	}
	slices.SortFunc(out, byNumber)
	return out
}

// byNumber orders texts of digits as numbers.
func byNumber(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) }

// qualifierOf returns the qualifier in the ARN of a version or an alias. It is empty for a function.
func qualifierOf(arn *string) string {
	q := functionname.OfARN(ptr.Deref(arn, "")).Qualifier
	if q == functionname.Latest {
		return ""
	}
	return q
}

// complete collects what the functions use, and sorts all lists.
func (a *account) complete() {
	slices.SortFunc(a.functions, func(x, y *function) int { return cmp.Compare(x.name, y.name) })
	for _, f := range a.functions {
		a.layers = append(a.layers, f.layers...)
		if f.signing != "" {
			a.signing = append(a.signing, f.signing)
		}
		if arn := capacityProviderARN(f.config()); a.owns(arn) {
			a.providers = append(a.providers, arn)
		}
		f.sort()
	}
	a.layers = slices.DeleteFunc(a.layers, func(l string) bool { return !a.owns(l) })
	for _, list := range []*[]string{&a.layers, &a.signing, &a.providers} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

func (f *function) sort() {
	sortBy(f.aliases, func(a types.AliasConfiguration) *string { return a.Name })
	sortBy(f.urls, func(u types.FunctionUrlConfig) *string { return u.FunctionArn })
	sortBy(f.events, func(e types.FunctionEventInvokeConfig) *string { return e.FunctionArn })
	sortBy(f.provisioned, func(p types.ProvisionedConcurrencyConfigListItem) *string { return p.FunctionArn })
	sortBy(f.mappings, func(m types.EventSourceMappingConfiguration) *string { return m.UUID })
}

func sortBy[T any](all []T, key func(T) *string) {
	slices.SortFunc(all, func(x, y T) int { return cmp.Compare(ptr.Deref(key(x), ""), ptr.Deref(key(y), "")) })
}

// owns reports whether an ARN is of this account and region.
func (a *account) owns(text string) bool {
	parsed, err := arn.Parse(text)
	return err == nil && parsed.AccountID == a.id && parsed.Region == a.region
}

// capacityProviderARN returns the ARN of the capacity provider that a function runs on, if any.
func capacityProviderARN(c *types.FunctionConfiguration) string {
	if c.CapacityProviderConfig == nil || c.CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig == nil {
		return ""
	}
	return ptr.Deref(c.CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig.CapacityProviderArn, "")
}

// lastPart returns what follows the last colon, such as the name of a capacity provider.
func lastPart(arn string) string { return arn[strings.LastIndex(arn, ":")+1:] }

// layerOf returns the layer and the number of the version in the ARN of a layer version.
func layerOf(text string) (layer string, number int64) {
	parts := strings.Split(text, ":")
	const layerAt, numberAt = 6, 7
	if len(parts) != numberAt+1 {
		return "", 0
	}
	n, err := strconv.ParseInt(parts[numberAt], 10, 64)
	if err != nil {
		return "", 0
	}
	return parts[layerAt], n
}
