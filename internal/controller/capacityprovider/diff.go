package capacityprovider

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// desired is what the user wants, and what is Left alone once it exists.
type desired struct {
	settings settings
	left     diff.Left
}

// want merges forProvider and initProvider.
func want(forProvider, initProvider settings) desired {
	s, left := diff.Merge(forProvider, initProvider)
	return desired{settings: s, left: left}
}

// comparison is what AWS shall come to and what it has, in one form.
type comparison struct {
	target, have settings
	changes      diff.Changes
}

// compare what is wanted with what was observed. What is left to AWS or to others is
// taken as it is there.
func compare(name string, d desired, o observed, owner tagging.Owner) comparison {
	have := fromObserved(name, o)
	t := diff.Fill(withDefaults(name, d.settings), have, d.left)
	if t.InstanceRequirements == nil {
		t.InstanceRequirements = have.InstanceRequirements
	}
	t.Tags = owner.Told(t.Tags, have.Tags)
	return comparison{target: t, have: have, changes: diff.Compare(t, have)}
}

// withDefaults are the settings with the blocks that AWS never leaves empty.
func withDefaults(name string, s settings) settings {
	if s.ScalingConfig == nil {
		s.ScalingConfig = &scalingConfig{ScalingMode: ptr.To(string(types.CapacityProviderScalingModeAuto))}
	}
	if s.PropagateTags == nil {
		s.PropagateTags = &v1beta1.PropagateTags{Mode: string(types.PropagateTagsModeNone)}
	}
	if s.TelemetryConfig == nil {
		s.TelemetryConfig = &telemetry{LoggingConfig: v1beta1.CapacityProviderLoggingConfig{LogGroup: ptr.To(defaultLogGroup(name))}}
	}
	return s
}

// immutable says which changes AWS can't make, if any.
func (c comparison) immutable() diff.Changes {
	return c.changes.In("vpcConfig", "permissionsConfig", "instanceRequirements", "kmsKeyArn")
}

// due is the call that comes first, and the changes that it brings about. Tags come
// before all else, since they say whose the capacity provider is.
func (c comparison) due() (string, diff.Changes) {
	if call := tagging.Due(c.target.Tags, c.have.Tags); call != "" {
		return call, c.changes.In("tags")
	}
	if len(c.changes) == 0 {
		return "", nil
	}
	return opUpdate, c.changes
}
