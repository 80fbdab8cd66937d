package campaign

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// someone is a person with the right to change an account.
type someone struct {
	ctx     context.Context //nolint:containedctx // It lives as long as a step.
	api     *lambda.Client
	account string

	// prefix of the names of a tenant's resources.
	prefix string
}

// someone returns someone in the account of a tenant, or in the shared one.
func (w *walker) someone(choice int) someone {
	if i := choice % (len(w.tenants) + 1); i < len(w.tenants) {
		t := w.tenants[i]
		return someone{w.Context(), t.api, t.account, t.prefix()}
	}
	return someone{w.Context(), w.Lambda, awsdouble.DefaultAccount, ""}
}

// name returns the name of something of the account's owner.
func (p someone) name(of string) *string { return aws.String(p.prefix + of) }

// arn returns the ARN of something of the account's owner.
func (p someone) arn(kind, name string) *string {
	return aws.String("arn:aws:lambda:" + Region + ":" + p.account + ":" + kind + ":" + p.prefix + name)
}

// edits are what people change in AWS by hand.
var edits = []func(w *walker, p someone){ //nolint:gochecknoglobals // They do not change.
	func(_ *walker, p someone) {
		_, _ = p.api.UpdateFunctionConfiguration(p.ctx,
			&lambda.UpdateFunctionConfigurationInput{FunctionName: p.name("function"), MemorySize: aws.Int32(512)})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.UpdateFunctionCode(p.ctx,
			&lambda.UpdateFunctionCodeInput{FunctionName: p.name("function"), ZipFile: []byte(emptyZip)})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.PublishVersion(p.ctx, &lambda.PublishVersionInput{FunctionName: p.name("function-published")})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.UpdateFunctionCode(p.ctx, &lambda.UpdateFunctionCodeInput{
			FunctionName: p.name("function-publisher"), ZipFile: []byte(emptyZip), Publish: true,
		})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.TagResource(p.ctx,
			&lambda.TagResourceInput{Resource: p.arn("function", "function"), Tags: map[string]string{"team": "hand"}})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.UntagResource(p.ctx,
			&lambda.UntagResourceInput{Resource: p.arn("function", "function"), TagKeys: []string{"team"}})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.UpdateAlias(p.ctx, &lambda.UpdateAliasInput{
			FunctionName: p.name("base"), Name: p.name("alias"), Description: aws.String("hand"),
		})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.UpdateAlias(p.ctx, &lambda.UpdateAliasInput{
			FunctionName: p.name(
				"function-publisher",
			),
			Name:            p.name("alias-referring"),
			FunctionVersion: aws.String("1"),
		})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.PutFunctionConcurrency(p.ctx, &lambda.PutFunctionConcurrencyInput{
			FunctionName: p.name("function"), ReservedConcurrentExecutions: aws.Int32(9),
		})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.UpdateFunctionUrlConfig(p.ctx, &lambda.UpdateFunctionUrlConfigInput{
			FunctionName: p.name("base"), AuthType: types.FunctionUrlAuthTypeNone,
		})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.UpdateFunctionEventInvokeConfig(p.ctx, &lambda.UpdateFunctionEventInvokeConfigInput{
			FunctionName: p.name("base"), MaximumEventAgeInSeconds: aws.Int32(99),
		})
	},
	func(w *walker, p someone) {
		if !w.has(p, "ProvisionedConcurrencyConfig", *p.arn("function", "base")+":stable") {
			return // It would create one.
		}
		_, _ = p.api.PutProvisionedConcurrencyConfig(p.ctx, &lambda.PutProvisionedConcurrencyConfigInput{
			FunctionName: p.name(
				"base",
			),
			Qualifier:                       aws.String("stable"),
			ProvisionedConcurrentExecutions: aws.Int32(7),
		})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.PutRuntimeManagementConfig(p.ctx, &lambda.PutRuntimeManagementConfigInput{
			FunctionName: p.name("base"), UpdateRuntimeOn: types.UpdateRuntimeOnAuto,
		})
	},
	func(w *walker, p someone) {
		for _, m := range w.Double.Mappings() {
			_, _ = p.api.UpdateEventSourceMapping(p.ctx,
				&lambda.UpdateEventSourceMappingInput{UUID: m.UUID, BatchSize: aws.Int32(3)})
		}
	},
	func(w *walker, p someone) {
		for _, arn := range w.signingConfigs(p) {
			_, _ = p.api.UpdateCodeSigningConfig(p.ctx,
				&lambda.UpdateCodeSigningConfigInput{CodeSigningConfigArn: &arn, Description: aws.String("hand")})
		}
	},
	func(w *walker, p someone) {
		if !w.has(p, "Permission", *p.arn("function", "function-published-by-version")) {
			return // A ResourcePolicy would not replace a policy that someone else has made.
		}
		_, _ = p.api.AddPermission(p.ctx, &lambda.AddPermissionInput{
			FunctionName: p.name("function-published-by-version"), StatementId: aws.String("hand"),
			Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("sns.amazonaws.com"),
		})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.PutFunctionRecursionConfig(p.ctx, &lambda.PutFunctionRecursionConfigInput{
			FunctionName: p.name("function"), RecursiveLoop: types.RecursiveLoopAllow,
		})
	},
	editApp,
}

// editListed changes something of a Function that is polled by list, or deletes it.
func editListed(p someone, choice int) {
	function := fmt.Sprint("function-listed-", choice%8) //nolint:mnd // As many as there are.
	name, arn := p.name(function), p.arn("function", function)
	switch choice / 8 % 5 { //nolint:mnd // As many as there are cases.
	case 0:
		_, _ = p.api.UpdateFunctionConfiguration(p.ctx,
			&lambda.UpdateFunctionConfigurationInput{FunctionName: name, MemorySize: aws.Int32(512)})
	case 1:
		_, _ = p.api.UpdateFunctionCode(p.ctx,
			&lambda.UpdateFunctionCodeInput{FunctionName: name, ZipFile: []byte(emptyZip)})
	case 2: //nolint:mnd // The next one.
		_, _ = p.api.TagResource(p.ctx,
			&lambda.TagResourceInput{Resource: arn, Tags: map[string]string{"team": "hand"}})
	case 3: //nolint:mnd // The next one.
		_, _ = p.api.PublishVersion(p.ctx, &lambda.PublishVersionInput{FunctionName: name})
	default:
		_, _ = p.api.DeleteFunction(p.ctx, &lambda.DeleteFunctionInput{FunctionName: name})
	}
}

// losses are what people delete in AWS of what resources have created.
var losses = []func(w *walker, p someone){ //nolint:gochecknoglobals // They do not change.
	func(_ *walker, p someone) {
		_, _ = p.api.DeleteFunction(p.ctx, &lambda.DeleteFunctionInput{FunctionName: p.name("function")})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.DeleteFunction(p.ctx, &lambda.DeleteFunctionInput{FunctionName: p.name("function-publisher")})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.DeleteFunction(p.ctx,
			&lambda.DeleteFunctionInput{FunctionName: p.name("function-published-by-version")})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.DeleteFunction(p.ctx,
			&lambda.DeleteFunctionInput{FunctionName: p.name("function-published"), Qualifier: aws.String("1")})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.DeleteAlias(p.ctx, &lambda.DeleteAliasInput{FunctionName: p.name("base"), Name: p.name("alias")})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.DeleteFunctionUrlConfig(p.ctx, &lambda.DeleteFunctionUrlConfigInput{FunctionName: p.name("base")})
	},
	func(w *walker, p someone) {
		for _, m := range w.Double.Mappings() {
			_, _ = p.api.DeleteEventSourceMapping(p.ctx, &lambda.DeleteEventSourceMappingInput{UUID: m.UUID})
		}
	},
	func(_ *walker, p someone) {
		_, _ = p.api.RemovePermission(p.ctx,
			&lambda.RemovePermissionInput{FunctionName: p.name("base"), StatementId: p.name("permission")})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.DeleteFunctionEventInvokeConfig(p.ctx,
			&lambda.DeleteFunctionEventInvokeConfigInput{FunctionName: p.name("base")})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.DeleteProvisionedConcurrencyConfig(p.ctx, &lambda.DeleteProvisionedConcurrencyConfigInput{
			FunctionName: p.name("base"), Qualifier: aws.String("stable"),
		})
	},
	func(_ *walker, p someone) {
		for v := range int64(3) {
			_, _ = p.api.DeleteLayerVersion(p.ctx,
				&lambda.DeleteLayerVersionInput{LayerName: p.name("layerversion"), VersionNumber: aws.Int64(v + 1)})
		}
	},
	func(_ *walker, p someone) {
		_, _ = p.api.RemoveLayerVersionPermission(p.ctx, &lambda.RemoveLayerVersionPermissionInput{
			LayerName: p.name("base"), VersionNumber: aws.Int64(1), StatementId: p.name("layerversionpermission"),
		})
	},
	func(w *walker, p someone) {
		for _, arn := range w.signingConfigs(p) {
			_, _ = p.api.DeleteCodeSigningConfig(
				p.ctx,
				&lambda.DeleteCodeSigningConfigInput{CodeSigningConfigArn: &arn},
			)
		}
	},
	func(_ *walker, p someone) {
		_, _ = p.api.DeleteCapacityProvider(p.ctx,
			&lambda.DeleteCapacityProviderInput{CapacityProviderName: p.name("capacityprovider")})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.DeleteResourcePolicy(p.ctx,
			&lambda.DeleteResourcePolicyInput{ResourceArn: p.arn("function", "function-published-by-version")})
	},
	func(_ *walker, p someone) {
		_, _ = p.api.DeleteFunction(p.ctx, &lambda.DeleteFunctionInput{FunctionName: p.name("function-app")})
	},
	func(_ *walker, p someone) { // The tags that say whose it is.
		out, err := p.api.ListTags(p.ctx, &lambda.ListTagsInput{Resource: p.arn("function", "function")})
		if err != nil {
			return
		}
		var keys []string
		for key := range out.Tags {
			if strings.HasPrefix(key, "crossplane-") {
				keys = append(keys, key)
			}
		}
		_, _ = p.api.UntagResource(p.ctx,
			&lambda.UntagResourceInput{Resource: p.arn("function", "function"), TagKeys: keys})
	},
}

// has reports whether an account has something of a kind whose ID begins with a text.
func (w *walker) has(p someone, kind, id string) bool {
	return slices.ContainsFunc(w.Double.Resources(p.account, Region), func(r awsdouble.Resource) bool {
		return r.Kind == kind && strings.HasPrefix(r.ID, id)
	})
}

// signingConfigs returns the ARNs of the code signing configs in someone's account.
func (w *walker) signingConfigs(p someone) (out []string) {
	for _, r := range w.Double.Resources(p.account, Region) {
		if r.Kind == "CodeSigningConfig" {
			out = append(out, r.ID)
		}
	}
	return out
}

// edit changes something in AWS by hand. It does nothing if it is not there.
func (w *walker) edit(choice int) {
	if choice%4 == 0 { //nolint:mnd // There are many of them.
		editListed(w.someone(len(w.tenants)), choice/4) //nolint:mnd // The rest.
		return
	}
	edits[choice%len(edits)](w, w.someone(choice/len(edits)))
}

// lose deletes in AWS something that a resource has created.
func (w *walker) lose(choice int) { losses[choice%len(losses)](w, w.someone(choice/len(losses))) }
