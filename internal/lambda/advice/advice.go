// Package advice finds what users should change before it fails: runtimes that AWS ends, sizes near AWS's limits,
// functions and event source mappings that do not work, missing IAM actions. It is pure: it judges what was observed.
package advice

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A Severity is the urgency of a finding.
type Severity string

// Severities, in ascending order.
const (
	// Info findings need no action yet.
	Info Severity = "Info"

	// Warning findings will fail, or make another change fail.
	Warning Severity = "Warning"

	// Error findings fail now.
	Error Severity = "Error"
)

// Severities returns all severities, the highest first.
func Severities() []Severity { return []Severity{Error, Warning, Info} }

// A Code identifies what a finding is about.
type Code string

// Codes of findings.
const (
	// RuntimeNearDeprecation is a runtime that AWS deprecates soon.
	RuntimeNearDeprecation Code = "RuntimeNearDeprecation"

	// RuntimeDeprecated is a runtime that AWS does not patch any more.
	RuntimeDeprecated Code = "RuntimeDeprecated"

	// RuntimeCreateBlocked is a runtime that AWS does not accept for new functions.
	RuntimeCreateBlocked Code = "RuntimeCreateBlocked"

	// RuntimeUpdateBlocked is a runtime whose functions AWS does not update.
	RuntimeUpdateBlocked Code = "RuntimeUpdateBlocked"

	// EnvironmentNearLimit is an environment near the size that AWS allows.
	EnvironmentNearLimit Code = "EnvironmentNearLimit"

	// PolicyNearLimit is a resource-based policy near the size that AWS allows.
	PolicyNearLimit Code = "PolicyNearLimit"

	// FunctionFailed is a function that AWS could not create or update.
	FunctionFailed Code = "FunctionFailed"

	// FunctionInactive is a function whose resources AWS has reclaimed because nobody invokes it.
	FunctionInactive Code = "FunctionInactive"

	// MappingDisabled is an event source mapping that AWS has stopped.
	MappingDisabled Code = "MappingDisabled"

	// ActionDenied is an IAM action that the identity of a config lacks.
	ActionDenied Code = "ActionDenied"

	// CodeStorageNearLimit is an account and region whose code storage is nearly full.
	CodeStorageNearLimit Code = "CodeStorageNearLimit"

	// ConcurrencyNearLimit is an account and region with little unreserved concurrency.
	ConcurrencyNearLimit Code = "ConcurrencyNearLimit"

	// VersionsUnused are versions of a function that nothing uses.
	VersionsUnused Code = "VersionsUnused"

	// LogsNeverExpire is a log group of a function whose events CloudWatch Logs keeps for ever.
	LogsNeverExpire Code = "LogsNeverExpire"
)

// A rule is the properties that all findings of a code have in common.
type rule struct {
	severity Severity

	// kinds are the kinds of the resources that findings are about. Nil means all managed resources.
	kinds []string

	// limit is the size that AWS allows, in bytes, of what status does not have.
	limit int

	// shown reports whether the condition Advisory reports the finding. Other conditions report the others.
	shown bool

	// onDemand reports whether the finding needs calls to AWS that only the plugin makes, so that Of does not find it.
	onDemand bool
}

const (
	function       = "Function"
	permission     = "Permission"
	resourcePolicy = "ResourcePolicy"
	mapping        = "EventSourceMapping"
	config         = "ProviderConfig"
	clusterConfig  = "ClusterProviderConfig"
)

const (
	maxEnvironment = 4096
	maxPolicy      = 20480

	// nearPercent is the percentage of a limit that is near it.
	nearPercent = 80
)

// rules are the rules of all codes.
var rules = map[Code]rule{
	RuntimeNearDeprecation: {severity: Info, kinds: []string{function}, shown: true},
	RuntimeDeprecated:      {severity: Warning, kinds: []string{function}, shown: true},
	RuntimeCreateBlocked:   {severity: Warning, kinds: []string{function}, shown: true},
	RuntimeUpdateBlocked:   {severity: Warning, kinds: []string{function}, shown: true},
	EnvironmentNearLimit:   {severity: Warning, kinds: []string{function}, limit: maxEnvironment, shown: true},
	PolicyNearLimit: {
		severity: Warning, kinds: []string{permission, resourcePolicy}, limit: maxPolicy,
		shown: true,
	},
	FunctionFailed:       {severity: Error, kinds: []string{function}},
	FunctionInactive:     {severity: Info, kinds: []string{function}},
	MappingDisabled:      {severity: Error, kinds: []string{mapping}},
	ActionDenied:         {severity: Error},
	CodeStorageNearLimit: {severity: Warning, kinds: []string{config, clusterConfig}},
	ConcurrencyNearLimit: {severity: Warning, kinds: []string{config, clusterConfig}},
	VersionsUnused:       {severity: Info, kinds: []string{function}, onDemand: true},
	LogsNeverExpire:      {severity: Info, kinds: []string{function}, onDemand: true},
}

// All returns a finding of each code, without a message, in order.
func All() []Finding {
	var out []Finding
	for _, code := range slices.Sorted(maps.Keys(rules)) {
		out = append(out, newFinding(code, "", "", ""))
	}
	return out
}

// Codes returns the codes that Of may find for a kind of managed resource, in order.
func Codes(kind string) []Code {
	var out []Code
	for code, r := range rules {
		if !r.onDemand && (r.kinds == nil || slices.Contains(r.kinds, kind)) {
			out = append(out, code)
		}
	}
	slices.Sort(out)
	return out
}

// A Finding is a fact that users should know, with advice.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`

	// Field is the field of the resource, or the IAM action.
	Field string `json:"field,omitempty"`

	// Message describes the finding. It does not change while the finding lasts.
	Message string `json:"message"`

	// Action is the advice to the user.
	Action string `json:"action"`
}

// IsShown reports whether the condition Advisory reports the finding.
func (f Finding) IsShown() bool { return rules[f.Code].shown }

// newFinding returns a finding with the severity of its code.
func newFinding(code Code, field, message, action string) Finding {
	return Finding{Code: code, Severity: rules[code].severity, Field: field, Message: message, Action: action}
}

// Ignores reports whether an object does not report findings of a code.
func Ignores(obj metav1.Object, code Code) bool {
	for c := range strings.SplitSeq(obj.GetAnnotations()[v1beta1.AnnotationIgnoreAdvice], ",") {
		if c = strings.TrimSpace(c); c == "*" || c == string(code) {
			return true
		}
	}
	return false
}

// Reported returns the findings that an object does not ignore.
func Reported(obj metav1.Object, found []Finding) []Finding {
	return slices.DeleteFunc(found, func(f Finding) bool { return Ignores(obj, f.Code) })
}
