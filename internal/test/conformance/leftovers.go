package conformance

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// ofRun matches the names of what runs make.
var ofRun = regexp.MustCompile(`\bplc-([0-9a-f]{8})-`)

// runOf returns the ID of the run in a name, an ARN or a URL, empty if it has none.
func runOf(name string) string {
	if m := ofRun.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

// A kind is a kind of what runs make. If it is one of Lambda, List<name>s lists it and Delete<name> deletes it.
type kind struct {
	name string
	// id is the member that identifies it, and of the one with the name that a run has given to it, or to its function.
	id, of string
}

// The kinds of what runs make, in the order in which it can be deleted.
var kinds = []kind{
	{kindMapping, "UUID", "FunctionArn"},
	{kindFunction, "FunctionName", "FunctionName"},
	{kindSigning, "CodeSigningConfigArn", ""},
	{kindCapacity, "CapacityProviderName", "CapacityProviderArn"},
	{kindLayer, "LayerName", "LayerName"},
	{name: kindQueue},
	{name: kindRole},
}

// A leftover is something that a run has left.
type leftover struct {
	// run is the ID of the run, and id identifies it among those of its kind.
	run, id  string
	deleting bool
}

// Leftovers returns the IDs of the runs of which something is left in the account and region of cfg, by tags and names,
// sorted. A run that is in progress is one of them.
func Leftovers(ctx context.Context, cfg aws.Config) ([]string, error) {
	a, ids := accountOf(cfg), map[string]bool{}
	for _, k := range kinds {
		found, err := a.leftovers(ctx, k)
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			ids[l.run] = true
		}
	}
	return slices.Sorted(maps.Keys(ids)), nil
}

// An account in which runs leave something, by the clients of its services.
type account struct {
	lambda *lambda.Client
	sqs    *sqs.Client
	iam    iam
}

func accountOf(cfg aws.Config) account {
	return account{lambda: lambda.NewFromConfig(cfg), sqs: sqs.NewFromConfig(cfg), iam: iam{cfg}}
}

// leftovers returns what runs have left of a kind, by tags and names.
func (a account) leftovers(ctx context.Context, k kind) (found []leftover, err error) {
	switch k.name {
	case kindQueue:
		found, err = a.queues(ctx)
	case kindRole:
		found, err = a.roles(ctx)
	default:
		found, err = a.listed(ctx, k)
	}
	return slices.DeleteFunc(found, func(l leftover) bool { return l.run == "" }), err
}

func (a account) queues(ctx context.Context) (found []leftover, _ error) {
	out, err := a.sqs.ListQueues(ctx, &sqs.ListQueuesInput{QueueNamePrefix: aws.String("plc-")})
	if err != nil {
		return nil, fmt.Errorf("cannot list queues: %w", err)
	}
	for _, url := range out.QueueUrls {
		found = append(found, leftover{run: runOf(url), id: url[strings.LastIndex(url, "/")+1:]})
	}
	return found, nil
}

func (a account) roles(ctx context.Context) (found []leftover, _ error) {
	names, err := a.iam.roles(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot list roles: %w", err)
	}
	for _, name := range names {
		found = append(found, leftover{run: runOf(name), id: name})
	}
	return found, nil
}

// listed returns what Lambda lists of a kind.
func (a account) listed(ctx context.Context, k kind) (found []leftover, _ error) {
	for in := map[string]any{}; ; {
		page, err := callLambda(ctx, a.lambda, "List"+k.name+"s", in)
		if k.name == kindCapacity && isUnknown(err) {
			return found, nil // Not all regions have capacity providers, nor all emulators.
		}
		if err != nil {
			return found, fmt.Errorf("cannot list what is left: %w", err)
		}
		items, _ := member(page, k.name+"s").([]any)
		for _, item := range items {
			name := textOf(item, k.of)
			l := leftover{run: runOf(name), id: cmp.Or(textOf(item, k.id), baseName(name))}
			l.deleting = textOf(item, "State") == "Deleting"
			if l.run, err = a.tagged(ctx, k, item, l.run); err != nil {
				return found, err
			}
			found = append(found, l)
		}
		if in["Marker"] = member(page, "NextMarker"); in["Marker"] == nil {
			return found, nil
		}
	}
}

// isUnknown reports whether Lambda, or an emulator of it, does not know the operation. AWS's message about an operation
// that a region lacks is quoted by sst 5327.
func isUnknown(err error) bool {
	return awserr.IsUnsupported(err) || awserr.IsNotFound(err)
}

// tagged returns the ID of the run that has made something: that in its name, which its tag has to confirm or replace.
func (a account) tagged(ctx context.Context, k kind, item any, named string) (string, error) {
	switch {
	case k.name == kindSigning: // AWS gives its name.
		return a.tag(ctx, textOf(item, k.id))
	case k.name == kindFunction && named != "":
		if tag, err := a.tag(ctx, textOf(item, "FunctionArn")); tag != named {
			return "", err
		}
	}
	return named, nil
}

// textOf returns a member that is a text, empty if it is not set.
func textOf(v any, name string) string {
	s, _ := member(v, name).(string)
	return s
}

// tag returns the ID of the run whose tag something carries, empty if it has none or was deleted meanwhile.
func (a account) tag(ctx context.Context, arn string) (string, error) {
	out, err := a.lambda.ListTags(ctx, &lambda.ListTagsInput{Resource: &arn})
	switch {
	case awserr.Code(err) == "ResourceNotFoundException":
		return "", nil
	case err != nil:
		return "", fmt.Errorf("cannot tell whether a run has made %s: %w", arn, err)
	}
	return out.Tags[TagKey], nil
}
