package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// A page is the object that the command prints as JSON and YAML. It has no values of environment variables.
type page struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Function               function         `json:"function"`
	Conditions             []xpv2.Condition `json:"conditions"`
	Versions               versions         `json:"versions"`
	Aliases                []alias          `json:"aliases,omitempty"`
	EventSourceMappings    []mapping        `json:"eventSourceMappings,omitempty"`
	URLs                   []functionURL    `json:"urls,omitempty"`
	Permissions            []permission     `json:"permissions,omitempty"`
	ProvisionedConcurrency []provisioned    `json:"provisionedConcurrency,omitempty"`
	Invocations            []asynchronous   `json:"eventInvokeConfigs,omitempty"`
	Differences            []difference     `json:"differences,omitempty"`
	Problems               []problem        `json:"problems,omitempty"`
	Events                 []event          `json:"events,omitempty"`
	NotShown               []string         `json:"notShown,omitempty"`
}

// A function is the state of the Function itself.
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

// A code is the code that AWS runs.
type code struct {
	PackageType  string `json:"packageType,omitempty"`
	Size         int64  `json:"size,omitempty"`
	SHA256       string `json:"sha256,omitempty"`
	ImageURI     string `json:"imageUri,omitempty"`
	Source       string `json:"source,omitempty"`
	Revision     string `json:"revision,omitempty"`
	Verified     string `json:"verified,omitempty"`
	LastModified string `json:"lastModified,omitempty"`
}

// Settings has the settings that matter most when a function fails.
type settings struct {
	Runtime                      string   `json:"runtime,omitempty"`
	Handler                      string   `json:"handler,omitempty"`
	Architectures                []string `json:"architectures,omitempty"`
	MemorySize                   int32    `json:"memorySize,omitempty"`
	Timeout                      int32    `json:"timeout,omitempty"`
	Role                         string   `json:"role,omitempty"`
	LogGroup                     string   `json:"logGroup,omitempty"`
	LogRetention                 string   `json:"logRetention,omitempty"`
	EnvironmentVariableNames     []string `json:"environmentVariableNames,omitempty"`
	Layers                       []string `json:"layers,omitempty"`
	ReservedConcurrentExecutions *int32   `json:"reservedConcurrentExecutions,omitempty"`
}

// Versions has the versions that the Function, and resources of the kind Version, have published.
type versions struct {
	Latest     string                    `json:"latestPublished,omitempty"`
	Publishing string                    `json:"publishing,omitempty"`
	Code       []v1beta1.PublishedCode   `json:"code,omitempty"`
	History    []string                  `json:"history,omitempty"`
	Retained   []v1beta1.RetainedVersion `json:"retained,omitempty"`
	Resources  []version                 `json:"resources,omitempty"`
}

// A difference is between the spec of a resource and AWS. The provider redacts values of secrets.
type difference struct {
	Resource string `json:"resource"`

	v1beta1.Difference `json:",inline"`
}

func (d difference) row() []string { return []string{d.Resource, d.Field, d.Desired, d.Observed} }

// A problem is the message of a resource that is not ready or not synced.
type problem struct {
	Resource string `json:"resource"`
	Message  string `json:"message"`
}

func (p problem) row() []string { return []string{p.Resource, p.Message} }

type event struct {
	Type    string      `json:"type"`
	Reason  string      `json:"reason"`
	Message string      `json:"message"`
	Count   int32       `json:"count"`
	Last    metav1.Time `json:"lastTimestamp"`
}

// newPage returns a page with the state of the Function itself.
func newPage(fn *v1beta1.Function) *page {
	o := fn.Status.AtProvider
	p := &page{
		TypeMeta:   kubectl.TypeMeta("FunctionStatus"),
		ObjectMeta: metav1.ObjectMeta{Name: fn.Name, Namespace: fn.Namespace},
		Function: function{
			Region: fn.Spec.ForProvider.Region, Name: kubectl.FunctionName(fn), ARN: ptr.Deref(o.FunctionArn, ""),
			Phase: fn.Status.Phase, Message: fn.Status.Message, Paused: meta.IsPaused(fn),
			State: ptr.Deref(o.State, ""), StateReason: ptr.Deref(o.StateReason, ""),
			LastUpdate: ptr.Deref(o.LastUpdateStatus, ""), LastUpdateReason: ptr.Deref(o.LastUpdateStatusReason, ""),
			Code:     codeOf(o),
			Settings: settingsOf(o),
		},
		Conditions: append([]xpv2.Condition{}, fn.Status.Conditions...),
		Versions: versions{
			Latest: ptr.Deref(o.LatestPublishedVersion, ""), Publishing: ptr.Deref(o.PublishingVersion, ""),
			Code: o.PublishedCode, Retained: o.RetainedVersions,
		},
	}
	for _, v := range o.History {
		p.Versions.History = append(p.Versions.History, v.Version)
	}
	return p
}

func codeOf(o v1beta1.FunctionObservation) code {
	c := code{
		PackageType: ptr.Deref(o.PackageType, ""), Size: ptr.Deref(o.CodeSize, 0), SHA256: ptr.Deref(o.CodeSHA256, ""),
		ImageURI: ptr.Deref(o.ImageURI, ""), LastModified: ptr.Deref(o.LastModified, ""),
	}
	if d := o.DeployedCode; d != nil {
		c.Source, c.Revision, c.Verified = d.Source, d.Revision, d.Verified
	}
	return c
}

func settingsOf(o v1beta1.FunctionObservation) settings {
	return settings{
		Runtime: ptr.Deref(o.Runtime, ""), Handler: ptr.Deref(o.Handler, ""), Architectures: o.Architectures,
		MemorySize: ptr.Deref(o.MemorySize, 0), Timeout: ptr.Deref(o.Timeout, 0), Role: ptr.Deref(o.Role, ""),
		LogGroup: kubectl.LogGroup(o), EnvironmentVariableNames: o.EnvironmentVariableNames, Layers: o.Layers,
		ReservedConcurrentExecutions: o.ReservedConcurrentExecutions,
	}
}

// DeepCopyObject returns a shallow copy: nothing changes a page.
func (p *page) DeepCopyObject() runtime.Object {
	out := *p
	return &out
}
