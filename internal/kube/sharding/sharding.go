// Package sharding divides the resources of a cluster among several deployments or pods of the
// provider, by labels. It knows two ways: a label selector for each deployment, and the rings of
// github.com/timebertt/kubernetes-controller-sharding, in which a sharder assigns resources to pods.
package sharding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Labels of the protocol between a sharder and the shards of a ring.
const (
	// LabelRing is the label of a shard's lease with the name of its ring.
	LabelRing = "alpha.sharding.timebertt.dev/controllerring"

	// prefixShard and prefixDrain precede the name of the ring in the labels of resources: the one with the name of the
	// shard that a resource is assigned to, and the one that asks that shard to stop working on it.
	prefixShard = "shard.alpha.sharding.timebertt.dev/"
	prefixDrain = "drain.alpha.sharding.timebertt.dev/"
)

// hashLength is the number of characters of a selector's hash in the name of a lease.
const hashLength = 10

// A Shard selects the resources that one process works on. The zero value selects all.
type Shard struct {
	selector labels.Selector

	// Ring and Name are the names of a ring and of this shard in it. They are empty for a shard
	// with a selector of its own.
	Ring, Name string
}

// Parse returns the shard of a label selector. An empty one selects all resources.
func Parse(selector string) (Shard, error) {
	if strings.TrimSpace(selector) == "" {
		return Shard{}, nil
	}
	s, err := labels.Parse(selector)
	if err != nil {
		return Shard{}, fmt.Errorf("%q is not a label selector: %w", selector, err)
	}
	return Shard{selector: s}, nil
}

// InRing returns the shard with a name in a ring.
func InRing(ring, name string) (Shard, error) {
	key := prefixShard + ring
	for what, problems := range map[string][]string{
		"ring":  validation.IsQualifiedName(key),
		"shard": append(validation.IsDNS1123Subdomain(name), validation.IsValidLabelValue(name)...),
	} {
		if len(problems) > 0 {
			return Shard{}, fmt.Errorf("the name of the %s cannot be used in labels and leases: %s", what,
				strings.Join(problems, ", "))
		}
	}
	return Shard{selector: labels.SelectorFromSet(labels.Set{key: name}), Ring: ring, Name: name}, nil
}

// IsAll reports whether the shard has all resources.
func (s Shard) IsAll() bool { return s.selector == nil }

// Selector returns the label selector of the shard's resources.
func (s Shard) Selector() labels.Selector {
	if s.selector == nil {
		return labels.Everything()
	}
	return s.selector
}

// String returns the selector in its canonical form. It is empty for a shard with all resources.
func (s Shard) String() string {
	if s.selector == nil {
		return ""
	}
	return s.selector.String()
}

// Has reports whether the shard has an object.
func (s Shard) Has(o client.Object) bool { return s.Selector().Matches(labels.Set(o.GetLabels())) }

// Drains reports whether the sharder has asked this shard to stop working on an object.
func (s Shard) Drains(o client.Object) bool {
	_, ok := o.GetLabels()[prefixDrain+s.Ring]
	return ok && s.Ring != "" && s.Has(o)
}

// Drained returns the changes of the labels by which the shard confirms that it has stopped working
// on an object. The sharder then assigns the object to another shard.
func (s Shard) Drained() map[string]any {
	return map[string]any{prefixShard + s.Ring: nil, prefixDrain + s.Ring: nil}
}

// LeaseName returns the name of the lease of the processes that have this shard's resources. Shards
// with different selectors have different leases. That of a ring's shard has the shard's name.
func (s Shard) LeaseName(all string) string {
	switch {
	case s.Ring != "":
		return s.Name
	case s.selector == nil:
		return all
	}
	hash := sha256.Sum256([]byte(s.selector.String()))
	return all + "-" + hex.EncodeToString(hash[:])[:hashLength]
}

// LeaseLabels returns the labels of the lease. A sharder recognizes the shards of a ring by them.
func (s Shard) LeaseLabels() map[string]string {
	if s.Ring == "" {
		return nil
	}
	return map[string]string{LabelRing: s.Ring}
}
