package status

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/publishedcode"
	rollouts "github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// A related is a resource that belongs to the Function.
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

	Code []v1beta1.PublishedCode `json:"code,omitempty"`
}

func newVersion(r related, v *v1beta1.Version) version {
	o := v.Status.AtProvider
	return version{
		related: r, Version: ptr.Deref(o.Version, ""), State: ptr.Deref(o.State, ""), Code: o.PublishedCode,
	}
}

type alias struct {
	related `json:",inline"`

	Alias   string   `json:"alias,omitempty"`
	Version string   `json:"functionVersion,omitempty"`
	Weights string   `json:"weights,omitempty"`
	Rollout *rollout `json:"rollout,omitempty"`

	Code []v1beta1.PublishedCode `json:"code,omitempty"`
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

	StableRevision string `json:"stableRevision,omitempty"`
	TargetRevision string `json:"targetRevision,omitempty"`
}

func newAlias(r related, a *v1beta1.Alias) alias {
	o := a.Status.AtProvider
	out := alias{
		related: r, Alias: ptr.Deref(o.Name, ""), Version: ptr.Deref(o.FunctionVersion, ""),
		Weights: ptr.Deref(o.Weights, ""), Code: o.ServedCode,
	}
	if s := a.Status.Rollout; s != nil {
		out.Rollout = &rollout{
			ID: s.ID, Phase: s.Phase, Step: s.Step, Reason: s.Reason,
			Stable: s.Stable.FunctionVersion, Target: s.Target.FunctionVersion, Weight: s.ObservedWeight,
			StableRevision: s.Stable.CodeRevision, TargetRevision: s.Target.CodeRevision,
		}
	}
	return out
}

func (a alias) row() []string {
	version, weights, rollout := a.Version, a.Weights, ""
	if a.Rollout == nil {
		served, _ := publishedcode.Of(a.Code, a.Version)
		version = described(a.Version, served.Revision)
		additional, _, _ := strings.Cut(a.Weights, "=")
		if p, known := publishedcode.Of(a.Code, additional); known {
			weights += " (" + p.Revision + ")"
		}
	}
	if r := a.Rollout; r != nil {
		rollout = join(r.Phase, r.Step, r.Reason)
		switch {
		case r.Phase == v1beta1.RolloutProgressing:
			rollout += fmt.Sprintf(": version %s receives %d %%, version %s is stable",
				described(r.Target, r.TargetRevision),
				r.Weight, described(r.Stable, r.StableRevision))
		case r.StableRevision != "":
			rollout += ": version " + described(r.Stable, r.StableRevision) + " is stable"
		}
	}
	return []string{a.Name, a.Ready, version, weights, rollout}
}

// described returns the number of a version with the revision of its code.
func described(version, revision string) string {
	return rollouts.DescribeVersion(v1beta1.RolloutRevision{FunctionVersion: version, CodeRevision: revision})
}

type mapping struct {
	related `json:",inline"`

	UUID       string `json:"uuid,omitempty"`
	Source     string `json:"eventSource,omitempty"`
	State      string `json:"state,omitempty"`
	LastResult string `json:"lastProcessingResult,omitempty"`
}

func newMapping(r related, m *v1beta1.EventSourceMapping) mapping {
	p, o := m.Spec.ForProvider, m.Status.AtProvider
	source := ptr.Deref(cmp.Or(o.EventSourceArn, p.EventSourceArn), "")
	if source == "" && (o.SelfManagedEventSource != nil || p.SelfManagedEventSource != nil) {
		source = "self-managed Kafka"
	}
	return mapping{
		related: r, UUID: ptr.Deref(o.UUID, ""), Source: source,
		State: ptr.Deref(o.State, ""), LastResult: ptr.Deref(o.LastProcessingResult, ""),
	}
}

func (m mapping) row() []string { return []string{m.Name, m.Ready, m.State, m.LastResult, m.Source} }

type functionURL struct {
	related `json:",inline"`

	Qualifier string `json:"qualifier,omitempty"`
	URL       string `json:"url,omitempty"`
	AuthType  string `json:"authType,omitempty"`
}

func newURL(r related, u *v1beta1.FunctionURL) functionURL {
	p, o := u.Spec.ForProvider, u.Status.AtProvider
	return functionURL{
		related: r, Qualifier: ptr.Deref(cmp.Or(o.Qualifier, p.Qualifier), ""),
		URL: ptr.Deref(o.FunctionURL, ""), AuthType: ptr.Deref(o.AuthType, ""),
	}
}

func (u functionURL) row() []string { return []string{u.Name, u.Ready, u.Qualifier, u.AuthType, u.URL} }

type permission struct {
	related `json:",inline"`

	Qualifier string `json:"qualifier,omitempty"`
	Principal string `json:"principal,omitempty"`
	Action    string `json:"action,omitempty"`
	SourceARN string `json:"sourceArn,omitempty"`
}

func newPermission(r related, g *v1beta1.Permission) permission {
	p, o := g.Spec.ForProvider, g.Status.AtProvider
	return permission{
		related: r, Qualifier: ptr.Deref(cmp.Or(o.Qualifier, p.Qualifier), ""),
		Principal: ptr.Deref(cmp.Or(o.Principal, p.Principal), ""), Action: ptr.Deref(cmp.Or(o.Action, p.Action), ""),
		SourceARN: ptr.Deref(cmp.Or(o.SourceArn, p.SourceArn), ""),
	}
}

func (g permission) row() []string {
	return []string{g.Name, g.Ready, g.Qualifier, g.Principal, g.Action, g.SourceARN}
}

type provisioned struct {
	related `json:",inline"`

	Qualifier string `json:"qualifier,omitempty"`
	Status    string `json:"status,omitempty"`
	Requested int32  `json:"requested"`
	Allocated int32  `json:"allocated"`
	Available int32  `json:"available"`
}

func newProvisioned(r related, c *v1beta1.ProvisionedConcurrencyConfig) provisioned {
	p, o := c.Spec.ForProvider, c.Status.AtProvider
	return provisioned{
		related: r, Qualifier: ptr.Deref(cmp.Or(o.Qualifier, p.Qualifier), ""), Status: ptr.Deref(o.Status, ""),
		Requested: ptr.Deref(cmp.Or(o.RequestedProvisionedConcurrentExecutions, p.ProvisionedConcurrentExecutions), 0),
		Allocated: ptr.Deref(o.AllocatedProvisionedConcurrentExecutions, 0),
		Available: ptr.Deref(o.AvailableProvisionedConcurrentExecutions, 0),
	}
}

func (c provisioned) row() []string {
	return []string{
		c.Name, c.Ready, c.Qualifier, c.Status, number(c.Requested), number(c.Allocated),
		number(c.Available),
	}
}

type asynchronous struct {
	related `json:",inline"`

	Qualifier string `json:"qualifier,omitempty"`
	Retries   *int32 `json:"maximumRetryAttempts,omitempty"`
	MaxAge    *int32 `json:"maximumEventAgeInSeconds,omitempty"`
	OnFailure string `json:"onFailure,omitempty"`
	OnSuccess string `json:"onSuccess,omitempty"`
}

func newAsynchronous(r related, c *v1beta1.FunctionEventInvokeConfig) asynchronous {
	p, o := c.Spec.ForProvider, c.Status.AtProvider
	return asynchronous{
		related: r, Qualifier: ptr.Deref(cmp.Or(o.Qualifier, p.Qualifier), ""),
		Retries: o.MaximumRetryAttempts, MaxAge: o.MaximumEventAgeInSeconds,
		OnFailure: ptr.Deref(o.OnFailureDestination, ""), OnSuccess: ptr.Deref(o.OnSuccessDestination, ""),
	}
}

func (c asynchronous) row() []string {
	retries, maxAge := "", ""
	if c.Retries != nil {
		retries = number(*c.Retries)
	}
	if c.MaxAge != nil {
		maxAge = number(*c.MaxAge) + " s"
	}
	return []string{c.Name, c.Ready, c.Qualifier, retries, maxAge, c.OnFailure, c.OnSuccess}
}

func number(n int32) string { return strconv.Itoa(int(n)) }

// join joins the texts that are not empty.
func join(parts ...string) string {
	parts = slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" })
	return strings.Join(parts, ", ")
}
