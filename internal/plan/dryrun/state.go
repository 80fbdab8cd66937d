package dryrun

import (
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/imageuri"
)

// A table has the rows of one kind by key. Those that were read but not changed are only the base of a change.
type table[V any] struct{ rows map[string]*row[V] }

// A row is a value that AWS has, or would have. It is nil if it does not exist.
type row[V any] struct {
	value   *V
	changed bool

	// created is true if AWS does not have the row.
	created bool
}

// known returns a row that was changed, so that AWS need not be read.
func (t *table[V]) known(key string) (*V, bool) {
	r := t.rows[key]
	if r == nil || !r.changed {
		return nil, false
	}
	return r.value, true
}

// current returns a copy of the value to change, empty if there is none.
func (t *table[V]) current(key string) *V {
	if r := t.rows[key]; r != nil && r.value != nil {
		return clone(r.value)
	}
	return new(V)
}

// set changes a row, or removes it if the value is nil.
func (t *table[V]) set(key string, v *V) {
	was := t.rows[key]
	t.put(key, row[V]{value: v, changed: true, created: was != nil && was.created})
}

// create adds a row that AWS does not have.
func (t *table[V]) create(key string, v *V) {
	t.put(key, row[V]{value: v, changed: true, created: true})
}

// keep keeps what AWS answered as the base of a change.
func (t *table[V]) keep(key string, v *V) {
	if r := t.rows[key]; r == nil || !r.changed {
		t.put(key, row[V]{value: v})
	}
}

func (t *table[V]) put(key string, r row[V]) {
	if t.rows == nil {
		t.rows = map[string]*row[V]{}
	}
	t.rows[key] = &r
}

// below returns the values whose keys have a prefix, in order.
func (t *table[V]) below(prefix string) []*V {
	var out []*V
	for _, k := range slices.Sorted(maps.Keys(t.rows)) {
		if strings.HasPrefix(k, prefix) && t.rows[k].changed && t.rows[k].value != nil {
			out = append(out, t.rows[k].value)
		}
	}
	return out
}

// state has the resources of an account. The key of a resource that belongs to a function is its name, a colon and a
// qualifier or a name.
type state struct {
	functions   table[lambda.GetFunctionOutput]
	versions    table[types.FunctionConfiguration]
	signing     table[lambda.GetFunctionCodeSigningConfigOutput]
	recursion   table[lambda.GetFunctionRecursionConfigOutput]
	scaling     table[lambda.GetFunctionScalingConfigOutput]
	aliases     table[types.AliasConfiguration]
	layers      table[lambda.GetLayerVersionOutput]
	policies    table[lambda.GetPolicyOutput]
	mappings    table[types.EventSourceMappingConfiguration]
	configs     table[types.CodeSigningConfig]
	providers   table[types.CapacityProvider]
	urls        table[types.FunctionUrlConfig]
	invokes     table[types.FunctionEventInvokeConfig]
	provisioned table[types.ProvisionedConcurrencyConfigListItem]
	runtimes    table[lambda.GetRuntimeManagementConfigOutput]
	tags        table[lambda.ListTagsOutput]

	// updated has the functions that were updated since a version of them was published.
	updated map[string]bool

	// hashes of objects in S3, and digests of images in any region, that were read.
	hashes  map[string]string
	digests map[imageuri.Image]string
}

// key returns the key of a function with a qualifier, which may be part of the name. $LATEST is the function itself.
func key(function, qualifier *string) string {
	n := named(function)
	if q := aws.ToString(qualifier); q != "" {
		n.Qualifier = q
	}
	if n.Qualifier == functionname.Latest {
		n.Qualifier = ""
	}
	return n.Function + ":" + n.Qualifier
}

// named returns the name of a function that a reference names, also if a part of it is not known.
func named(function *string) functionname.Name {
	if r, ok := functionname.ParseReference(aws.ToString(function)); ok {
		return r.Name
	}
	if n := functionname.OfARN(aws.ToString(function)); n.Function != "" {
		return n
	}
	n, _ := functionname.Parse(aws.ToString(function))
	return n
}

func layerKey(layer *string, version *int64) string {
	name := aws.ToString(layer)
	if _, after, ok := strings.Cut(name, ":layer:"); ok {
		name = after
	}
	if version == nil {
		return name + ":"
	}
	return name + ":" + itoa(aws.ToInt64(version))
}

func function(k string) string {
	f, _, _ := strings.Cut(k, ":")
	return f
}

func qualifier(k string) string {
	_, q, _ := strings.Cut(k, ":")
	return q
}

// qualified returns the qualifier of a key, $LATEST for the function itself.
func qualified(k string) string {
	if q := qualifier(k); q != "" {
		return q
	}
	return functionname.Latest
}
