package runtimemanagementconfig

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	runtimeA = "arn:aws:lambda:eu-central-1::runtime:aaaa"
	runtimeB = "arn:aws:lambda:eu-central-1::runtime:bbbb"
)

func on(mode, runtime string) settings {
	s := settings{UpdateRuntimeOn: ptr.To(mode)}
	if runtime != "" {
		s.RuntimeVersionArn = &runtime
	}
	return s
}

func TestCompare(t *testing.T) {
	automatic := &answer{UpdateRuntimeOn: types.UpdateRuntimeOnAuto}
	stays := &answer{UpdateRuntimeOn: types.UpdateRuntimeOnManual, RuntimeVersionArn: ptr.To(runtimeA)}
	cases := map[string]struct {
		reason  string
		there   *answer
		spec    settings
		initial *settings
		changes string
		want    settings
	}{
		"Same": {reason: "Nothing differs.", there: stays, spec: on(manual, runtimeA), want: on(manual, runtimeA)},
		"Pinned": {
			reason:  "The function is pinned to a runtime version.",
			there:   automatic,
			spec:    on(manual, runtimeA),
			changes: `runtimeVersionArn: added "` + runtimeA + `", updateRuntimeOn: "Auto" -> "Manual"`,
			want:    on(manual, runtimeA),
		},
		"Moved": {
			reason:  "The function is pinned to another runtime version.",
			there:   stays,
			spec:    on(manual, runtimeB),
			changes: `runtimeVersionArn: "` + runtimeA + `" -> "` + runtimeB + `"`,
			want:    on(manual, runtimeB),
		},
		"Freed": {
			reason:  "AWS takes no runtime with another mode.",
			there:   stays,
			spec:    on("FunctionUpdate", ""),
			changes: `runtimeVersionArn: removed, updateRuntimeOn: "Manual" -> "FunctionUpdate"`,
			want:    on("FunctionUpdate", ""),
		},
		"Initial": {
			reason:  "What is set at creation is left to others.",
			there:   stays,
			initial: ptr.To(on("FunctionUpdate", "")),
			want:    on(manual, runtimeA),
		},
		"InitialRuntime": {
			reason: "A runtime is of no use where another mode is always wanted.",
			there:  automatic, spec: on(auto, ""), initial: ptr.To(on(manual, runtimeB)), want: on(auto, ""),
		},
		"InitialRuntimeMoved": {
			reason:  "The runtime alone may be left to others.",
			there:   stays,
			spec:    on(manual, ""),
			initial: &settings{RuntimeVersionArn: ptr.To(runtimeB)},
			want:    on(manual, runtimeA),
		},
		"InitialRuntimeLost": {
			reason:  "AWS takes the mode with a runtime only.",
			there:   automatic,
			spec:    on(manual, ""),
			initial: &settings{RuntimeVersionArn: ptr.To(runtimeB)},
			changes: `runtimeVersionArn: added "` + runtimeB + `", updateRuntimeOn: "Auto" -> "Manual"`,
			want:    on(manual, runtimeB),
		},
		"Neither": {reason: "An unset field is left to AWS.", there: stays, want: on(manual, runtimeA)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &v1beta1.RuntimeManagementConfig{}
			mg.Spec.ForProvider.RuntimeManagementConfigSettings, mg.Spec.InitProvider = tc.spec, tc.initial
			forProvider, initProvider, _ := desired(t.Context(), mg)
			c := compare(reconcile.Merge(forProvider, initProvider), fromAWS(tc.there))
			if c.Changes.String() != tc.changes {
				t.Errorf("%s\ngot  %s\nwant %s", tc.reason, c.Changes, tc.changes)
			}
			in := putInput(c.Target, functionname.Name{Function: "cart", Qualifier: "3"})
			if string(in.UpdateRuntimeOn) != *tc.want.UpdateRuntimeOn ||
				ptr.Deref(in.RuntimeVersionArn, "") != ptr.Deref(tc.want.RuntimeVersionArn, "") ||
				*in.Qualifier != "3" {
				t.Errorf("%s\nsends %+v", tc.reason, in)
			}
		})
	}
}
