package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
)

// accountKind is the kind of findings about an account that was read from AWS.
const accountKind = "Account"

// refresh adds the findings that only AWS can tell, about the account of the machine's credentials. It returns an error
// if the credentials are not valid in any region.
func (c *collector) refresh(ctx context.Context, flags *awsconfig.Flags, now func() time.Time) error {
	c.accounts = map[account]bool{}
	byRegion := map[string][]*v1beta1.Function{}
	for _, f := range c.functions {
		byRegion[f.Spec.ForProvider.Region] = append(byRegion[f.Spec.ForProvider.Region], f)
	}
	opened, failed := false, error(nil)
	for _, region := range slices.Sorted(maps.Keys(byRegion)) {
		if !regions.Known(region) && !flags.HasEndpoint() {
			c.report.leaveOut(fmt.Sprintf("what AWS has in %q: it is not a region of AWS, such as eu-west-1",
				kubectl.OneLine(region)))
			continue
		}
		s, err := flags.Session(ctx, region, now)
		switch {
		case errors.Is(err, kubectl.ErrInterrupted):
			return err
		case err != nil: // Credentials are valid only in the regions that their account has enabled.
			c.report.leaveOut(fmt.Sprintf("what AWS has in %s: %v", region, err))
			failed = err
			continue
		}
		opened = true
		a := account{id: s.Identity.Account, region: region}
		client, logs := lambda.NewFromConfig(s.AWS), cloudwatchlogs.NewFromConfig(s.AWS)
		if err := c.quotas(ctx, client, a); err != nil {
			return err
		}
		for _, f := range byRegion[region] {
			if err := c.unused(ctx, client, a, f); err != nil {
				return err
			}
			if err := c.retention(ctx, logs, f); err != nil {
				return err
			}
		}
	}
	if !opened {
		return failed
	}
	return nil
}

// quotas adds the findings about the quotas of an account.
func (c *collector) quotas(ctx context.Context, client *lambda.Client, a account) error {
	out, err := client.GetAccountSettings(ctx, &lambda.GetAccountSettingsInput{})
	if err != nil {
		return c.skip(fmt.Sprintf("read the quotas of account %s in %s", a.id, a.region), err)
	}
	u := v1beta1.AccountUsage{Region: a.region}
	if l := out.AccountLimit; l != nil {
		u.CodeStorageLimit, u.ConcurrentExecutions, u.UnreservedConcurrentExecutions = &l.TotalCodeSize,
			&l.ConcurrentExecutions, l.UnreservedConcurrentExecutions
	}
	if used := out.AccountUsage; used != nil {
		u.CodeStorageUsed = &used.TotalCodeSize
	}
	c.accounts[a] = true
	c.report.add(accountKind, "", a.id, advice.OfUsage(u)...)
	return nil
}

// unused adds the finding about versions of a function that nothing uses.
func (c *collector) unused(ctx context.Context, client *lambda.Client, a account, f *v1beta1.Function) error {
	if advice.Ignores(f, advice.VersionsUnused) {
		return nil
	}
	name := ptr.Deref(f.Status.AtProvider.FunctionArn, "")
	id, err := arn.Parse(name)
	if err != nil {
		return nil //nolint:nilerr // AWS does not have the function.
	}
	what := "find out which versions of " + kubectl.Functions.Full(f.Name) + " are in use"
	if id.AccountID != a.id {
		c.report.leaveOut(fmt.Sprintf("versions of functions of account %s: the credentials of this machine are "+
			"of account %s", id.AccountID, a.id))
		return nil
	}
	published, err := publishedVersions(ctx, client, name)
	if err != nil {
		return c.skip(what, err)
	}
	kept := c.kept(f, published)
	candidates := slices.DeleteFunc(published, func(v string) bool { return kept[v] })
	unused, err := versions.UnusedOf(ctx, client, versions.Function{Name: name, ARN: name}, candidates)
	if err != nil {
		return c.skip(what, err)
	}
	c.report.add(v1beta1.FunctionKind, f.Namespace, f.Name, advice.OfVersions(unused)...)
	return nil
}

// retention adds the finding about a log group of a function whose events never expire.
func (c *collector) retention(ctx context.Context, client *cloudwatchlogs.Client, f *v1beta1.Function) error {
	if advice.Ignores(f, advice.LogsNeverExpire) {
		return nil
	}
	days, err := awsconfig.LogRetentionOf(ctx, client, f)
	if err != nil {
		return c.skip("find out when logs of "+kubectl.Functions.Full(f.Name)+" expire", err)
	}
	if days != nil && *days == 0 {
		c.report.add(v1beta1.FunctionKind, f.Namespace, f.Name, advice.OfLogGroup(kubectl.LogGroupOf(f)))
	}
	return nil
}

// publishedVersions returns the published versions of a function, the oldest first.
func publishedVersions(ctx context.Context, client *lambda.Client, name string) ([]string, error) {
	all, err := versions.List(ctx, client, lambdaapi.KeptList{Cache: &readcache.Cache{}}, name)
	out := make([]string, len(all))
	for i := range all {
		out[i] = ptr.Deref(all[i].Version, "")
	}
	slices.SortFunc(out, func(a, b string) int { return versions.Number(a) - versions.Number(b) })
	return out, err
}

// kept returns the versions that someone keeps on purpose: the latest one, those that historyLimit keeps, those of
// resources of the kind Version, and those that a rollout may return to.
func (c *collector) kept(f *v1beta1.Function, published []string) map[string]bool {
	of := ptr.Deref(f.Status.AtProvider.FunctionArn, "")
	kept := map[string]bool{}
	if len(published) > 0 {
		kept[published[len(published)-1]] = true
	}
	if f.Spec.ForProvider.HistoryLimit != nil {
		for _, v := range f.Status.AtProvider.History {
			kept[v.Version] = true
		}
	}
	for _, v := range c.versions {
		if strings.HasPrefix(ptr.Deref(v.Status.AtProvider.FunctionArn, ""), of+":") {
			kept[ptr.Deref(v.Status.AtProvider.Version, "")] = true
		}
	}
	for _, a := range c.aliases {
		if !strings.HasPrefix(ptr.Deref(a.Status.AtProvider.AliasArn, ""), of+":") {
			continue
		}
		for _, v := range versions.NeededBy(a, c.now) {
			kept[v] = true
		}
	}
	return kept
}

// skip says in the report what AWS does not let the user read. It returns an error if the user has ended the command.
func (c *collector) skip(what string, err error) error {
	err = awsconfig.Explain(what, err)
	if errors.Is(err, kubectl.ErrInterrupted) {
		return err
	}
	c.report.leaveOut(err.Error())
	return nil
}
