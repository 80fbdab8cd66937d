package v1beta1

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

var (
	_ resource.ProviderConfig           = &ProviderConfig{}
	_ resource.ProviderConfig           = &ClusterProviderConfig{}
	_ resource.TypedProviderConfigUsage = &ProviderConfigUsage{}
	_ resource.ProviderConfigUsageList  = &ProviderConfigUsageList{}
)

// GetCondition returns a condition of this config.
func (c *ProviderConfig) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return c.Status.GetCondition(t)
}

// SetConditions sets conditions of this config.
func (c *ProviderConfig) SetConditions(cs ...xpv2.Condition) { c.Status.SetConditions(cs...) }

// GetUsers returns how many resources use this config.
func (c *ProviderConfig) GetUsers() int64 { return c.Status.Users }

// SetUsers sets how many resources use this config.
func (c *ProviderConfig) SetUsers(n int64) { c.Status.Users = n }

// GetCondition returns a condition of this config.
func (c *ClusterProviderConfig) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return c.Status.GetCondition(t)
}

// SetConditions sets conditions of this config.
func (c *ClusterProviderConfig) SetConditions(cs ...xpv2.Condition) { c.Status.SetConditions(cs...) }

// GetUsers returns how many resources use this config.
func (c *ClusterProviderConfig) GetUsers() int64 { return c.Status.Users }

// SetUsers sets how many resources use this config.
func (c *ClusterProviderConfig) SetUsers(n int64) { c.Status.Users = n }

// GetConfigStatus returns the status, for code that handles both kinds of config.
func (c *ProviderConfig) GetConfigStatus() *ProviderConfigStatus { return &c.Status }

// GetConfigStatus returns the status, for code that handles both kinds of config.
func (c *ClusterProviderConfig) GetConfigStatus() *ProviderConfigStatus { return &c.Status }

// GetProviderConfigReference returns the reference to the config that is used.
func (u *ProviderConfigUsage) GetProviderConfigReference() xpv2.ProviderConfigReference {
	return u.ProviderConfigReference
}

// SetProviderConfigReference sets the reference to the config that is used.
func (u *ProviderConfigUsage) SetProviderConfigReference(r xpv2.ProviderConfigReference) {
	u.ProviderConfigReference = r
}

// GetResourceReference returns the reference to the resource that uses the config.
func (u *ProviderConfigUsage) GetResourceReference() xpv2.TypedReference { return u.ResourceReference }

// SetResourceReference sets the reference to the resource that uses the config.
func (u *ProviderConfigUsage) SetResourceReference(r xpv2.TypedReference) { u.ResourceReference = r }

// GetItems returns the list's items.
func (l *ProviderConfigUsageList) GetItems() []resource.ProviderConfigUsage {
	items := make([]resource.ProviderConfigUsage, len(l.Items))
	for i := range l.Items {
		items[i] = &l.Items[i]
	}
	return items
}
