package awsdouble

import "github.com/aws/aws-sdk-go-v2/service/lambda/types"

// versionOf returns the version to which a qualifier of a function resolves, or nil: $LATEST, also for no qualifier,
// a published version, or that of an alias.
func (f *function) versionOf(qualifier string) *instance {
	if a := f.aliases[qualifier]; a != nil {
		qualifier = a.FunctionVersion
	}
	if qualifier == "" || qualifier == latestVersion {
		return f.latest
	}
	return f.version(qualifier)
}

// arnOf returns the ARN of a function with a qualifier, or without.
func (f *function) arnOf(qualifier string) string {
	if qualifier == "" {
		return f.latest.FunctionArn
	}
	return f.latest.FunctionArn + ":" + qualifier
}

// configs are a function's configurations by qualifier.
type configs struct {
	urls        map[string]*types.FunctionUrlConfig
	events      map[string]*types.FunctionEventInvokeConfig
	provisioned map[string]*provisioning
	runtimes    map[string]RuntimeManagement
}

func newConfigs() configs {
	return configs{
		urls: map[string]*types.FunctionUrlConfig{}, events: map[string]*types.FunctionEventInvokeConfig{},
		provisioned: map[string]*provisioning{}, runtimes: map[string]RuntimeManagement{},
	}
}

// forget removes the configurations of a qualifier that was deleted. Its URL remains:
// https://github.com/localstack/localstack/pull/11288.
func (c *configs) forget(qualifier string) {
	delete(c.events, qualifier)
	delete(c.provisioned, qualifier)
	delete(c.runtimes, qualifier)
}
