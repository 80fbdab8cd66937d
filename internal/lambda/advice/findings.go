package advice

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// A Resource is a managed resource.
type Resource interface {
	metav1.Object

	GetCondition(t xpv2.ConditionType) xpv2.Condition
}

// Sizes are sizes in bytes that a reconcile has observed and that status does not have.
type Sizes map[Code]int

// Of returns the findings about a resource as it was last observed, without those that it ignores. Sizes that are not
// known are judged by the condition Advisory, which says whether they were near their limit when they were last
// observed.
func Of(mg Resource, sizes Sizes, now time.Time) []Finding {
	found := ofConditions(mg)
	if mg.GetDeletionTimestamp() == nil {
		found = append(ofStatus(mg, now), append(ofSizes(mg, sizes), found...)...)
	}
	return Reported(mg, found)
}

func ofStatus(mg Resource, now time.Time) []Finding {
	switch r := mg.(type) {
	case *v1beta1.Function:
		return append(ofRuntime(runtimeOf(r), now), ofState(r.Status.AtProvider)...)
	case *v1beta1.EventSourceMapping:
		return ofMapping(r.Status.AtProvider)
	case *v1beta1.ResourcePolicy:
		if size := len(ptr.Deref(r.Status.AtProvider.Policy, "")); isNear(size, maxPolicy) {
			return []Finding{ofSize(PolicyNearLimit)}
		}
	}
	return nil
}

// runtimeOf returns the runtime of a function: the observed one, or that of spec as long as AWS does not have the
// function.
func runtimeOf(f *v1beta1.Function) string {
	if r := f.Status.AtProvider.Runtime; r != nil {
		return *r
	}
	if r := f.Spec.ForProvider.Runtime; r != nil || f.Spec.InitProvider == nil {
		return ptr.Deref(r, "")
	}
	return ptr.Deref(f.Spec.InitProvider.Runtime, "")
}

func ofState(o v1beta1.FunctionObservation) []Finding {
	const stateField, updateField = "status.atProvider.state", "status.atProvider.lastUpdateStatus"
	switch state := ptr.Deref(o.State, ""); {
	case state == "Failed":
		return []Finding{newFinding(FunctionFailed, stateField, because("the function is in state Failed",
			o.StateReason), "correct what the condition Ready names")}
	case state == "Inactive":
		return []Finding{newFinding(FunctionInactive, stateField,
			because("the function is in state Inactive, since nobody invokes it", o.StateReason),
			"invoke it to activate it again, or delete it if nobody needs it")}
	case ptr.Deref(o.LastUpdateStatus, "") == "Failed":
		return []Finding{newFinding(FunctionFailed, updateField, because("the last update of the function has failed",
			o.LastUpdateStatusReason), "correct what the condition Ready names")}
	}
	return nil
}

// because returns a text with a reason of AWS, if there is one.
func because(text string, reason *string) string {
	if r := strings.TrimSuffix(ptr.Deref(reason, ""), "."); r != "" {
		return text + ": " + r
	}
	return text
}

// ofSizes returns the findings about sizes that status does not have.
func ofSizes(mg Resource, sizes Sizes) []Finding {
	if _, ok := mg.(*v1beta1.ResourcePolicy); ok {
		return nil // Status has its policy.
	}
	var found []Finding
	for _, code := range []Code{EnvironmentNearLimit, PolicyNearLimit} {
		size, known := sizes[code]
		if known && isNear(size, rules[code].limit) || !known && hasCode(mg, code) {
			found = append(found, ofSize(code))
		}
	}
	return found
}

// hasCode reports whether the condition Advisory of a resource has a code.
func hasCode(mg Resource, code Code) bool {
	c := mg.GetCondition(v1beta1.TypeAdvisory)
	return c.Status == corev1.ConditionTrue && slices.Contains(strings.Split(string(c.Reason), ","), string(code))
}

// ofSize returns the finding about a size near its limit. It does not name the size, which others may change often.
func ofSize(code Code) Finding {
	if code == EnvironmentNearLimit {
		return newFinding(code, "spec.forProvider.environment",
			fmt.Sprintf("the environment variables take more than %d %% of the %d bytes that AWS allows", nearPercent,
				maxEnvironment),
			"move large values to a Secret or parameter that the function reads itself")
	}
	return newFinding(code, "status.atProvider.policy", fmt.Sprintf("the policy of the function takes more than %d "+
		"%% of the %d bytes that AWS allows", nearPercent, maxPolicy),
		"combine statements, for example with a source ARN that ends with *")
}

func isNear(size, limit int) bool { return size*100 > limit*nearPercent }

// deniedPattern matches the IAM action in a condition's message about a call that AWS has denied.
var deniedPattern = regexp.MustCompile(` (?:may not|allow) ([a-z0-9-]+:[A-Za-z0-9*]+)`)

// ofConditions returns the findings about IAM actions that conditions report as denied.
func ofConditions(mg Resource) []Finding {
	var found []Finding
	for _, t := range []xpv2.ConditionType{xpv2.TypeSynced, xpv2.TypeReady} {
		c := mg.GetCondition(t)
		if c.Status != corev1.ConditionFalse {
			continue
		}
		for _, m := range deniedPattern.FindAllStringSubmatch(c.Message, -1) {
			action := m[1]
			if !slices.ContainsFunc(found, func(f Finding) bool { return f.Field == action }) {
				found = append(found, newFinding(ActionDenied, action, "AWS denies "+action,
					"allow the action for the identity of the ProviderConfig: the condition "+string(
						t)+" says on what"))
			}
		}
	}
	return found
}

// OfUsage returns the findings about the limits of an account in a region.
func OfUsage(u v1beta1.AccountUsage) []Finding {
	var found []Finding
	if limit := ptr.Deref(u.CodeStorageLimit, 0); limit > 0 && ptr.Deref(u.CodeStorageUsed, 0)*100 > limit*nearPercent {
		found = append(found, newFinding(CodeStorageNearLimit, u.Region,
			fmt.Sprintf("code takes more than %d %% of the storage that AWS allows in %s", nearPercent, u.Region),
			"delete versions and layers that nobody uses, set historyLimit, or ask AWS to raise the quota"))
	}
	if limit := ptr.Deref(u.ConcurrentExecutions, 0); limit > 0 && ptr.Deref(u.UnreservedConcurrentExecutions,
		limit)*100 < limit*(100-nearPercent) {
		found = append(found, newFinding(ConcurrencyNearLimit, u.Region,
			fmt.Sprintf("less than %d %% of the concurrent executions in %s are unreserved: functions without a "+
				"reservation are throttled", 100-nearPercent, u.Region),
			"lower reservedConcurrentExecutions, or ask AWS to raise the quota"))
	}
	return found
}

// OfVersions returns the finding about versions of a function that nothing uses.
func OfVersions(unused []string) []Finding {
	const named = 5
	if len(unused) == 0 {
		return nil
	}
	return []Finding{newFinding(VersionsUnused, "spec.forProvider.historyLimit",
		"nothing in Lambda uses these versions: "+diff.List(unused, named),
		"set historyLimit, so that the provider deletes earlier versions, or delete them in AWS")}
}

// OfLogGroup returns the finding about a log group of a function whose events never expire.
func OfLogGroup(group string) Finding {
	return newFinding(LogsNeverExpire, "spec.forProvider.loggingConfig.logGroup",
		"CloudWatch Logs keeps the events of log group "+group+" for ever",
		"set a retention for the log group, such as with `aws logs put-retention-policy`, or manage the log group "+
			"with another provider")
}

// IsUserAction reports whether a StateTransitionReason of an event source mapping names a user's action, in any of
// AWS's spellings. No reason counts as one.
func IsUserAction(reason string) bool {
	r := strings.ToLower(strings.ReplaceAll(reason, "_", " "))
	return r == "" || strings.HasPrefix(r, "user")
}

// HasStoppedReading reports whether AWS does not read the event source of a mapping that is enabled: its
// StateTransitionReason is then an error code such as EVENT_SOURCE_AUTHN_ERROR.
func HasStoppedReading(state, reason string) bool {
	return state == "Enabled" && (strings.HasSuffix(reason, "_ERROR") || strings.HasSuffix(reason, "_NOT_VALID"))
}

// ofMapping returns the finding about an event source mapping that AWS has stopped.
func ofMapping(o v1beta1.EventSourceMappingObservation) []Finding {
	state, reason := ptr.Deref(o.State, ""), ptr.Deref(o.StateTransitionReason, "")
	what, remedy := "AWS has disabled the event source mapping",
		"with spec.forProvider.enabled: true, the provider then enables the mapping again"
	switch {
	case state == "Disabled" && !IsUserAction(reason):
	case HasStoppedReading(state, reason):
		what, remedy = "AWS has stopped reading the event source",
			"if AWS does not resume, set spec.forProvider.enabled to false and then to true"
	default:
		return nil
	}
	return []Finding{newFinding(MappingDisabled, "status.atProvider.stateTransitionReason",
		because(what, o.StateTransitionReason), "correct the event source or the function's role; "+remedy)}
}
