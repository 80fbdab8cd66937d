package advice

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// at is a time at which python3.9 is deprecated and not blocked.
var at = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// fn returns a Function with a runtime.
func fn(runtime string, change ...func(f *v1beta1.Function)) *v1beta1.Function {
	f := &v1beta1.Function{}
	f.Status.AtProvider.Runtime = ptr.To(runtime)
	for _, c := range change {
		c(f)
	}
	return f
}

func esm(state, reason string) *v1beta1.EventSourceMapping {
	m := &v1beta1.EventSourceMapping{}
	m.Status.AtProvider.State, m.Status.AtProvider.StateTransitionReason = &state, &reason
	return m
}

func advised(codes ...Code) xpv2.Condition {
	texts := make([]string, 0, len(codes))
	for _, c := range codes {
		texts = append(texts, string(c))
	}
	return xpv2.Condition{
		Type:   v1beta1.TypeAdvisory,
		Status: "True",
		Reason: xpv2.ConditionReason(strings.Join(texts, ",")),
	}
}

func TestOf(t *testing.T) {
	denied := awserr.Sanitize(&smithy.OperationError{
		ServiceID: "Lambda", OperationName: "GetFunction",
		Err: &smithy.GenericAPIError{
			Code: "AccessDeniedException",
			Message: "User: arn:aws:sts::123456789012:assumed-role/p/s is not authorized to perform: lambda:GetFunction " +
				"on resource: arn:aws:lambda:eu-central-1:123456789012:function:f because no identity-based policy " +
				"allows the lambda:GetFunction action",
		},
	})
	unsaid := awserr.Sanitize(&smithy.OperationError{
		ServiceID: "S3", OperationName: "HeadObject",
		Err: &smithy.GenericAPIError{Code: "Forbidden", Message: "Forbidden"},
	})
	failing := func(err error) func(f *v1beta1.Function) {
		return func(f *v1beta1.Function) { f.SetConditions(xpv2.ReconcileError(err)) }
	}
	cases := map[string]struct {
		reason string
		mg     Resource
		sizes  Sizes
		want   []string
		action string
	}{
		"Supported": {
			reason: "Nothing is found about a runtime that is supported for long.",
			mg:     fn("python3.13"),
		},
		"Near": {
			reason: "AWS gives notice 180 days before.", mg: fn("nodejs22.x"),
			want: []string{"Info RuntimeNearDeprecation spec.forProvider.runtime"},
		},
		"Deprecated": {
			reason: "AWS does not patch it any more.", mg: fn("python3.9"),
			want: []string{"Warning RuntimeDeprecated spec.forProvider.runtime"},
		},
		"CreateBlocked": {
			reason: "The function could not be created again.", mg: fn("python3.7"),
			want: []string{"Warning RuntimeCreateBlocked spec.forProvider.runtime"},
		},
		"UpdateBlocked": {
			reason: "The function cannot be updated.", mg: fn("python3.6"),
			want: []string{"Warning RuntimeUpdateBlocked spec.forProvider.runtime"},
		},
		"Unknown": {reason: "AWS may add a runtime before the table has it.", mg: fn("python4.0")},
		"Preview": {reason: "A runtime in preview has no dates.", mg: fn("nodejs26.x")},
		"Image":   {reason: "An image has its own runtime.", mg: &v1beta1.Function{}},
		"NotCreated": {
			reason: "Before the function exists, spec has the runtime.",
			mg: &v1beta1.Function{
				Spec: v1beta1.FunctionSpec{ForProvider: v1beta1.FunctionParameters{
					FunctionSettings: v1beta1.FunctionSettings{Runtime: ptr.To("go1.x")},
				}},
			},
			want: []string{"Warning RuntimeCreateBlocked spec.forProvider.runtime"},
		},
		"OnlyAtCreation": {
			reason: "initProvider may have it.",
			mg: &v1beta1.Function{Spec: v1beta1.FunctionSpec{InitProvider: &v1beta1.FunctionSettings{
				Runtime: ptr.To("java8"),
			}}}, want: []string{"Warning RuntimeCreateBlocked spec.forProvider.runtime"},
		},
		"Ignored": {reason: "The user has decided.", mg: fn("python3.9", func(f *v1beta1.Function) {
			f.SetAnnotations(map[string]string{v1beta1.AnnotationIgnoreAdvice: "FunctionFailed, RuntimeDeprecated"})
		})},
		"AllIgnored": {reason: "An asterisk stands for all codes.", mg: fn("python3.9",
			func(f *v1beta1.Function) { f.SetAnnotations(map[string]string{v1beta1.AnnotationIgnoreAdvice: "*"}) })},
		"Failed": {
			reason: "A function that failed.",
			mg:     fn("python3.13", func(f *v1beta1.Function) { f.Status.AtProvider.State = ptr.To("Failed") }),
			want:   []string{"Error FunctionFailed status.atProvider.state"},
		},
		"UpdateFailed": {
			reason: "An update that failed.",
			mg: fn(
				"python3.13",
				func(f *v1beta1.Function) { f.Status.AtProvider.LastUpdateStatus = ptr.To("Failed") },
			),
			want: []string{"Error FunctionFailed status.atProvider.lastUpdateStatus"},
		},
		"Inactive": {
			reason: "A function that nobody invokes.",
			mg:     fn("python3.13", func(f *v1beta1.Function) { f.Status.AtProvider.State = ptr.To("Inactive") }),
			want:   []string{"Info FunctionInactive status.atProvider.state"},
		},
		"EnvironmentFar": {
			reason: "Most of the environment is left.", mg: fn("python3.13"),
			sizes: Sizes{EnvironmentNearLimit: 3276},
		},
		"Environment": {
			reason: "More than 80 % of 4,096 bytes are used.", mg: fn("python3.13"),
			sizes: Sizes{EnvironmentNearLimit: 3277},
			want:  []string{"Warning EnvironmentNearLimit spec.forProvider.environment"},
		},
		"Remembered": {
			reason: "Only the condition says what the last reconcile has measured.",
			mg: fn("python3.13", func(f *v1beta1.Function) {
				f.SetConditions(advised(RuntimeDeprecated,
					EnvironmentNearLimit))
			}), want: []string{"Warning EnvironmentNearLimit spec.forProvider.environment"},
		},
		"Shrunk": {
			reason: "What was measured now decides.",
			mg:     fn("python3.13", func(f *v1beta1.Function) { f.SetConditions(advised(EnvironmentNearLimit)) }),
			sizes:  Sizes{EnvironmentNearLimit: 10},
		},
		"Policy": {
			reason: "Permissions measure the policy that they share.", mg: &v1beta1.Permission{},
			sizes: Sizes{PolicyNearLimit: 16385}, want: []string{"Warning PolicyNearLimit status.atProvider.policy"},
		},
		"ResourcePolicy": {
			reason: "Status has the policy.",
			mg: &v1beta1.ResourcePolicy{
				Status: v1beta1.ResourcePolicyStatus{AtProvider: v1beta1.ResourcePolicyObservation{Policy: ptr.To(
					strings.Repeat("x", 16385))}},
			}, want: []string{"Warning PolicyNearLimit status.atProvider.policy"},
		},
		"SmallPolicy": {
			reason: "Status decides, not what the condition says of an earlier one.",
			mg: func() Resource {
				p := &v1beta1.ResourcePolicy{}
				p.SetConditions(
					advised(PolicyNearLimit))
				return p
			}(),
		},
		"ByAWS": {
			reason: "AWS disables a mapping whose function is gone.",
			mg:     esm("Disabled", "The function does not exist"),
			want:   []string{"Error MappingDisabled status.atProvider.stateTransitionReason"},
			action: "with spec.forProvider.enabled: true, the provider then enables the mapping again",
		},
		"Stopped": {
			reason: "AWS cannot read the source, and the provider has nothing to enable.",
			mg:     esm("Enabled", "EVENT_SOURCE_AUTHN_ERROR"),
			want:   []string{"Error MappingDisabled status.atProvider.stateTransitionReason"},
			action: "if AWS does not resume, set spec.forProvider.enabled to false and then to true",
		},
		"ByUser":    {reason: "A user has disabled it.", mg: esm("Disabled", "User action")},
		"ByUserToo": {reason: "AWS spells it in two ways.", mg: esm("Disabled", "USER_INITIATED")},
		"Enabled":   {reason: "It works.", mg: esm("Enabled", "User action")},
		"Denied": {
			reason: "The message names the action.", mg: fn("python3.13", failing(denied)),
			want: []string{"Error ActionDenied lambda:GetFunction"},
		},
		"DeniedUnsaid": {
			reason: "S3 does not name the action, awserr does.", mg: fn("python3.13", failing(unsaid)),
			want: []string{"Error ActionDenied s3:GetObject"},
		},
		"Deleted": {
			reason: "Only what keeps it from being deleted matters.",
			mg: fn("python3.9", failing(denied),
				func(f *v1beta1.Function) { f.SetDeletionTimestamp(&metav1.Time{Time: at}) }),
			want: []string{"Error ActionDenied lambda:GetFunction"},
		},
		"Several": {
			reason: "There may be several.", mg: fn("python3.9"),
			sizes: Sizes{EnvironmentNearLimit: 4000}, want: []string{"Warning RuntimeDeprecated " +
				"spec.forProvider.runtime", "Warning EnvironmentNearLimit spec.forProvider.environment"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range Of(tc.mg, tc.sizes, at) {
				got = append(got, string(f.Severity)+" "+string(f.Code)+" "+f.Field)
				if f.Message == "" || f.Action == "" || !strings.Contains(f.Action, tc.action) {
					t.Errorf("%s: it does not say what was found and what to do: %+v", tc.reason, f)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMessagesLast checks that a finding reads the same on each day: a condition that changed every day would be a
// write of each resource.
func TestMessagesLast(t *testing.T) {
	for _, r := range Runtimes {
		var last Finding
		for day := at; day.Before(at.AddDate(4, 0, 0)); day = day.AddDate(0, 0, 1) {
			found := Of(fn(r.Name), nil, day)
			if len(found) == 0 {
				continue
			}
			if f := found[0]; f.Code == last.Code && f.Message != last.Message {
				t.Fatalf("%s: %q became %q", r.Name, last.Message, f.Message)
			}
			last = found[0]
		}
	}
}

func TestOfUsage(t *testing.T) {
	cases := map[string]struct {
		reason string
		usage  v1beta1.AccountUsage
		want   []Code
	}{
		"Unknown": {reason: "The identity may not read it.", usage: v1beta1.AccountUsage{Unknown: "denied"}},
		"Small": {reason: "There is much left.", usage: v1beta1.AccountUsage{
			CodeStorageLimit: ptr.To[int64](100),
			CodeStorageUsed:  ptr.To[int64](80), ConcurrentExecutions: ptr.To[int32](1000),
			UnreservedConcurrentExecutions: ptr.To[int32](200),
		}},
		"Storage": {
			reason: "Little storage is left.",
			usage:  v1beta1.AccountUsage{CodeStorageLimit: ptr.To[int64](100), CodeStorageUsed: ptr.To[int64](81)},
			want:   []Code{CodeStorageNearLimit},
		},
		"Reserved": {
			reason: "Functions have reserved most.",
			usage: v1beta1.AccountUsage{
				ConcurrentExecutions:           ptr.To[int32](1000),
				UnreservedConcurrentExecutions: ptr.To[int32](199),
			}, want: []Code{ConcurrencyNearLimit},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []Code
			for _, f := range OfUsage(tc.usage) {
				got = append(got, f.Code)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOfVersions(t *testing.T) {
	if got := OfVersions(nil); got != nil {
		t.Errorf("all versions are used, got %v", got)
	}
	got := OfVersions([]string{"1", "2", "3", "4", "5", "6", "7"})
	if len(got) != 1 || !strings.HasSuffix(got[0].Message, ": 1, 2, 3, 4, 5 and 2 more") {
		t.Errorf("want the first five, got %v", got)
	}
}

// TestCodes checks that the metrics have a series of each code that can be found, and of no other.
func TestCodes(t *testing.T) {
	if diff := cmp.Diff([]Code{ActionDenied, MappingDisabled}, Codes(v1beta1.EventSourceMappingKind)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Code{ActionDenied}, Codes(v1beta1.AliasKind)); diff != "" {
		t.Error(diff)
	}
	onlyDoctor := []Code{VersionsUnused, LogsNeverExpire}
	if slices.ContainsFunc(Codes(v1beta1.FunctionKind), func(c Code) bool { return slices.Contains(onlyDoctor, c) }) {
		t.Error("only the plugin finds what is unused, and logs that never expire")
	}
}
