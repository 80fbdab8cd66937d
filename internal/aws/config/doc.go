// Package config turns a ProviderConfig or a ClusterProviderConfig into a
// session: an aws.Config whose credentials renew themselves and whose calls keep
// to Lambda's quotas.
//
// A session is cached for as long as the config, and what its credentials come
// from, stay the same. So a role is assumed once in the lifetime of its
// credentials, however many resources use it, and a rotated Secret or token
// counts at once.
package config
