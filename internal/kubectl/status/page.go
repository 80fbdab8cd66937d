package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A page is what the command prints as JSON and YAML. Its kind is the plugin's own. It has no values of environment
// variables.
type page struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Function               function       `json:"function"`
	Conditions             []condition    `json:"conditions"`
	Versions               versions       `json:"versions"`
	Aliases                []alias        `json:"aliases,omitempty"`
	EventSourceMappings    []mapping      `json:"eventSourceMappings,omitempty"`
	URLs                   []functionURL  `json:"urls,omitempty"`
	Permissions            []permission   `json:"permissions,omitempty"`
	ProvisionedConcurrency []provisioned  `json:"provisionedConcurrency,omitempty"`
	Invocations            []asynchronous `json:"eventInvokeConfigs,omitempty"`
	Differences            []difference   `json:"differences,omitempty"`
	Problems               []problem      `json:"problems,omitempty"`
	Events                 []event        `json:"events,omitempty"`
	NotShown               []string       `json:"notShown,omitempty"`
}

// A function is what status says of the Function itself.
type function struct {
	Region           string `json:"region"`
	Name             string `json:"functionName"`
	ARN              string `json:"functionArn,omitempty"`
	Phase            string `json:"phase,omitempty"`
	Message          string `json:"message,omitempty"`
	Paused           bool   `json:"paused,omitempty"`
	State            string `json:"state,omitempty"`
	StateReason      string `json:"stateReason,omitempty"`
	LastUpdate       string `json:"lastUpdateStatus,omitempty"`
	LastUpdateReason string `json:"lastUpdateStatusReason,omitempty"`

	Code     code     `json:"code"`
	Settings settings `json:"settings"`
}

// A code is what AWS runs.
type code struct {
	PackageType  string `json:"packageType,omitempty"`
	Size         int64  `json:"size,omitempty"`
	SHA256       string `json:"sha256,omitempty"`
	ImageURI     string `json:"imageUri,omitempty"`
	Source       string `json:"source,omitempty"`
	LastModified string `json:"lastModified,omitempty"`
}

// Settings are those that matter most when a function fails.
type settings struct {
	Runtime                      string   `json:"runtime,omitempty"`
	Handler                      string   `json:"handler,omitempty"`
	Architectures                []string `json:"architectures,omitempty"`
	MemorySize                   int32    `json:"memorySize,omitempty"`
	Timeout                      int32    `json:"timeout,omitempty"`
	Role                         string   `json:"role,omitempty"`
	LogGroup                     string   `json:"logGroup,omitempty"`
	EnvironmentVariableNames     []string `json:"environmentVariableNames,omitempty"`
	Layers                       []string `json:"layers,omitempty"`
	ReservedConcurrentExecutions *int32   `json:"reservedConcurrentExecutions,omitempty"`
}

// A condition is one of the Function.
type condition struct {
	Type               string      `json:"type"`
	Status             string      `json:"status"`
	Reason             string      `json:"reason,omitempty"`
	Message            string      `json:"message,omitempty"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitzero"`
}

// Versions are those that the Function, and resources of the kind Version, have published.
type versions struct {
	Latest     string                    `json:"latestPublished,omitempty"`
	Publishing string                    `json:"publishing,omitempty"`
	History    []string                  `json:"history,omitempty"`
	Retained   []v1beta1.RetainedVersion `json:"retained,omitempty"`
	Resources  []version                 `json:"resources,omitempty"`
}

// A resource is what is known of each resource that belongs to the Function.
type related struct {
	Name    string `json:"name"`
	Ready   string `json:"ready"`
	Phase   string `json:"phase,omitempty"`
	Message string `json:"message,omitempty"`
}

type version struct {
	related `json:",inline"`

	Version string `json:"version,omitempty"`
	State   string `json:"state,omitempty"`
}

type alias struct {
	related `json:",inline"`

	Alias   string   `json:"alias,omitempty"`
	Version string   `json:"functionVersion,omitempty"`
	Weights string   `json:"weights,omitempty"`
	Rollout *rollout `json:"rollout,omitempty"`
}

// A rollout is the state of an Alias with spec.rollout.
type rollout struct {
	ID     string `json:"id,omitempty"`
	Phase  string `json:"phase,omitempty"`
	Step   string `json:"step,omitempty"`
	Reason string `json:"reason,omitempty"`
	Stable string `json:"stable,omitempty"`
	Target string `json:"target,omitempty"`
	Weight int32  `json:"weight,omitempty"`
}

type mapping struct {
	related `json:",inline"`

	UUID       string `json:"uuid,omitempty"`
	Source     string `json:"eventSource,omitempty"`
	State      string `json:"state,omitempty"`
	LastResult string `json:"lastProcessingResult,omitempty"`
}

type functionURL struct {
	related `json:",inline"`

	Qualifier string `json:"qualifier,omitempty"`
	URL       string `json:"url,omitempty"`
	AuthType  string `json:"authType,omitempty"`
}

type permission struct {
	related `json:",inline"`

	Qualifier string `json:"qualifier,omitempty"`
	Principal string `json:"principal,omitempty"`
	Action    string `json:"action,omitempty"`
	SourceARN string `json:"sourceArn,omitempty"`
}

type provisioned struct {
	related `json:",inline"`

	Qualifier string `json:"qualifier,omitempty"`
	Status    string `json:"status,omitempty"`
	Requested int32  `json:"requested"`
	Allocated int32  `json:"allocated"`
	Available int32  `json:"available"`
}

type asynchronous struct {
	related `json:",inline"`

	Qualifier string `json:"qualifier,omitempty"`
	Retries   *int32 `json:"maximumRetryAttempts,omitempty"`
	MaxAge    *int32 `json:"maximumEventAgeInSeconds,omitempty"`
	OnFailure string `json:"onFailure,omitempty"`
	OnSuccess string `json:"onSuccess,omitempty"`
}

// A difference is between the spec of a resource and AWS. The provider redacts values of secrets.
type difference struct {
	Resource string `json:"resource"`

	v1beta1.Difference `json:",inline"`
}

// A problem is why a resource is not ready or not synced.
type problem struct {
	Resource string `json:"resource"`
	Message  string `json:"message"`
}

type event struct {
	Type    string      `json:"type"`
	Reason  string      `json:"reason"`
	Message string      `json:"message"`
	Count   int32       `json:"count"`
	Last    metav1.Time `json:"lastTimestamp"`
}

// DeepCopyObject returns a shallow copy: nothing changes a page.
func (p *page) DeepCopyObject() runtime.Object {
	out := *p
	return &out
}
