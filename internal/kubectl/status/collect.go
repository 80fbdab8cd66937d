package status

import (
	"cmp"
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// collect reads everything about the Function.
func (r *reader) collect(ctx context.Context) error {
	r.page = newPage(r.fn)
	r.relate(kubectl.Functions.Singular, r.fn)
	for _, read := range []func(context.Context) error{r.versions, r.aliases, r.mappings, r.urls, r.permissions, r.provisioned, r.asynchronous, r.events} {
		if err := read(ctx); err != nil {
			return err
		}
	}
	return nil
}

// newPage returns a page with what the Function itself says.
func newPage(fn *v1beta1.Function) *page {
	o := fn.Status.AtProvider
	p := &page{
		TypeMeta:   metav1.TypeMeta{APIVersion: "kubectl." + v1beta1.SchemeGroupVersion.String(), Kind: "FunctionStatus"},
		ObjectMeta: metav1.ObjectMeta{Name: fn.Name, Namespace: fn.Namespace},
		Function: function{
			Region: fn.Spec.ForProvider.Region, Name: kubectl.FunctionName(fn), ARN: ptr.Deref(o.FunctionArn, ""),
			Phase: fn.Status.Phase, Message: fn.Status.Message, Paused: meta.IsPaused(fn),
			State: ptr.Deref(o.State, ""), StateReason: ptr.Deref(o.StateReason, ""),
			LastUpdate: ptr.Deref(o.LastUpdateStatus, ""), LastUpdateReason: ptr.Deref(o.LastUpdateStatusReason, ""),
			Code:     codeOf(o),
			Settings: settingsOf(o),
		},
		Conditions: []condition{},
		Versions:   versions{Latest: ptr.Deref(o.LatestPublishedVersion, ""), Publishing: ptr.Deref(o.PublishingVersion, ""), Retained: o.RetainedVersions},
	}
	for _, c := range fn.Status.Conditions {
		p.Conditions = append(p.Conditions, condition{Type: string(c.Type), Status: string(c.Status), Reason: string(c.Reason), Message: c.Message, LastTransitionTime: c.LastTransitionTime})
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
		c.Source = d.Source
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

func (r *reader) versions(ctx context.Context) error {
	return resources(ctx, r, "versions", func(v *v1beta1.Version) {
		p, o := v.Spec.ForProvider, v.Status.AtProvider
		if !r.targets(target{region: &p.Region, name: cmp.Or(o.FunctionName, p.FunctionName), arn: o.FunctionArn, ref: p.FunctionNameRef}) {
			return
		}
		r.page.Versions.Resources = append(r.page.Versions.Resources, version{related: r.relate("version", v), Version: ptr.Deref(o.Version, ""), State: ptr.Deref(o.State, "")})
	})
}

func (r *reader) aliases(ctx context.Context) error {
	return resources(ctx, r, "aliases", func(a *v1beta1.Alias) {
		p, o := a.Spec.ForProvider, a.Status.AtProvider
		if !r.targets(target{region: &p.Region, name: cmp.Or(o.FunctionName, p.FunctionName), arn: o.AliasArn, ref: p.FunctionNameRef}) {
			return
		}
		out := alias{related: r.relate("alias", a), Alias: ptr.Deref(o.Name, ""), Version: ptr.Deref(o.FunctionVersion, ""), Weights: ptr.Deref(o.Weights, "")}
		if s := a.Status.Rollout; s != nil {
			out.Rollout = &rollout{ID: s.ID, Phase: s.Phase, Step: s.Step, Reason: s.Reason, Stable: s.Stable.FunctionVersion, Target: s.Target.FunctionVersion, Weight: s.ObservedWeight}
		}
		r.page.Aliases = append(r.page.Aliases, out)
	})
}

func (r *reader) mappings(ctx context.Context) error {
	return resources(ctx, r, "eventsourcemappings", func(m *v1beta1.EventSourceMapping) {
		p, o := m.Spec.ForProvider, m.Status.AtProvider
		if !r.targets(target{region: &p.Region, name: cmp.Or(o.FunctionName, p.FunctionName), arn: o.FunctionArn, ref: p.FunctionNameRef}) {
			return
		}
		source := ptr.Deref(cmp.Or(o.EventSourceArn, p.EventSourceArn), "")
		if source == "" && (o.SelfManagedEventSource != nil || p.SelfManagedEventSource != nil) {
			source = "self-managed Kafka"
		}
		r.page.EventSourceMappings = append(r.page.EventSourceMappings, mapping{
			related: r.relate("eventsourcemapping", m), UUID: ptr.Deref(o.UUID, ""), Source: source,
			State: ptr.Deref(o.State, ""), LastResult: ptr.Deref(o.LastProcessingResult, ""),
		})
	})
}

func (r *reader) urls(ctx context.Context) error {
	return resources(ctx, r, "functionurls", func(u *v1beta1.FunctionURL) {
		p, o := u.Spec.ForProvider, u.Status.AtProvider
		if !r.targets(target{region: &p.Region, name: cmp.Or(o.FunctionName, p.FunctionName), arn: o.FunctionArn, ref: p.FunctionNameRef}) {
			return
		}
		r.page.URLs = append(r.page.URLs, functionURL{related: r.relate("functionurl", u), Qualifier: ptr.Deref(cmp.Or(o.Qualifier, p.Qualifier), ""), URL: ptr.Deref(o.FunctionURL, ""), AuthType: ptr.Deref(o.AuthType, "")})
	})
}

func (r *reader) permissions(ctx context.Context) error {
	return resources(ctx, r, "permissions", func(g *v1beta1.Permission) {
		p, o := g.Spec.ForProvider, g.Status.AtProvider
		if !r.targets(target{region: &p.Region, name: cmp.Or(o.FunctionName, p.FunctionName), arn: o.FunctionArn, ref: p.FunctionNameRef}) {
			return
		}
		r.page.Permissions = append(r.page.Permissions, permission{
			related: r.relate("permission", g), Qualifier: ptr.Deref(cmp.Or(o.Qualifier, p.Qualifier), ""),
			Principal: ptr.Deref(cmp.Or(o.Principal, p.Principal), ""), Action: ptr.Deref(cmp.Or(o.Action, p.Action), ""), SourceARN: ptr.Deref(cmp.Or(o.SourceArn, p.SourceArn), ""),
		})
	})
}

func (r *reader) provisioned(ctx context.Context) error {
	return resources(ctx, r, "provisionedconcurrencyconfigs", func(c *v1beta1.ProvisionedConcurrencyConfig) {
		p, o := c.Spec.ForProvider, c.Status.AtProvider
		if !r.targets(target{region: &p.Region, name: cmp.Or(o.FunctionName, p.FunctionName), arn: o.FunctionArn, ref: p.FunctionNameRef}) {
			return
		}
		r.page.ProvisionedConcurrency = append(r.page.ProvisionedConcurrency, provisioned{
			related: r.relate("provisionedconcurrencyconfig", c), Qualifier: ptr.Deref(cmp.Or(o.Qualifier, p.Qualifier), ""), Status: ptr.Deref(o.Status, ""),
			Requested: ptr.Deref(cmp.Or(o.RequestedProvisionedConcurrentExecutions, p.ProvisionedConcurrentExecutions), 0),
			Allocated: ptr.Deref(o.AllocatedProvisionedConcurrentExecutions, 0), Available: ptr.Deref(o.AvailableProvisionedConcurrentExecutions, 0),
		})
	})
}

func (r *reader) asynchronous(ctx context.Context) error {
	return resources(ctx, r, "functioneventinvokeconfigs", func(c *v1beta1.FunctionEventInvokeConfig) {
		p, o := c.Spec.ForProvider, c.Status.AtProvider
		if !r.targets(target{region: &p.Region, name: cmp.Or(o.FunctionName, p.FunctionName), arn: o.FunctionArn, ref: p.FunctionNameRef}) {
			return
		}
		r.page.Invocations = append(r.page.Invocations, asynchronous{
			related: r.relate("functioneventinvokeconfig", c), Qualifier: ptr.Deref(cmp.Or(o.Qualifier, p.Qualifier), ""),
			Retries: o.MaximumRetryAttempts, MaxAge: o.MaximumEventAgeInSeconds,
			OnFailure: ptr.Deref(o.OnFailureDestination, ""), OnSuccess: ptr.Deref(o.OnSuccessDestination, ""),
		})
	})
}
