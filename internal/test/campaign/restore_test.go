package campaign

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
)

// templates is how many functions of a restored fleet the provider has created: every third function
// of a fleet has an environment.
const templates = 3

// restore makes a converged fleet: the provider creates a few functions, and all others are copies of
// them in the cluster and in AWS. So a fleet that takes half an hour of the quota to create takes a
// few milliseconds a function. No process runs afterwards.
func (f *steadyFleet) restore(options func(*manager.Options)) {
	f.t.Helper()
	n := f.n
	f.n = templates
	p := f.Start(&Network{}, options)
	f.create()
	time.Sleep(2 * pollInterval)
	if err := p.Stop(); err != nil {
		f.t.Fatal(err)
	}
	f.n = n
	objects := f.Cluster.Objects()
	for i := range templates {
		var of []*unstructured.Unstructured
		template := &v1beta1.Function{}
		if err := f.Kube.Get(f.t.Context(), client.ObjectKey{Namespace: f.namespace(), Name: f.name(i)},
			template); err != nil {
			f.t.Fatal(err)
		}
		for _, u := range objects {
			if text := jsonOf(f, u); u.GetKind() != "Event" && strings.Contains(text, string(template.UID)) {
				of = append(of, u)
			}
		}
		f.copies(i, template, of)
	}
	f.Double.ResetCalls()
}

// copies makes the functions that are copies of a template, with the objects that name its UID.
func (f *steadyFleet) copies(template int, fn *v1beta1.Function, objects []*unstructured.Unstructured) {
	f.t.Helper()
	ctx := f.t.Context()
	out, err := f.Lambda.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: aws.String(f.name(template))})
	if err != nil {
		f.t.Fatal(err)
	}
	c := out.Configuration
	in := lambda.CreateFunctionInput{
		Runtime: c.Runtime, Handler: c.Handler, Role: c.Role, MemorySize: c.MemorySize,
		Code: &types.FunctionCode{S3Bucket: aws.String(codeBucket), S3Key: aws.String(codeKey)},
	}
	if c.Environment != nil {
		in.Environment = &types.Environment{Variables: c.Environment.Variables}
	}
	uid := func(i int) string { return fmt.Sprintf("11111111-0000-4000-8000-%012d", i) }
	for i := template + templates; i < f.n; i += templates {
		in.FunctionName, in.Tags = aws.String(f.name(i)), map[string]string{}
		for k, v := range out.Tags {
			in.Tags[k] = strings.NewReplacer(f.name(template), f.name(i), string(fn.UID), uid(i)).Replace(v)
		}
		if _, err := f.Lambda.CreateFunction(ctx, &in); err != nil {
			f.t.Fatal(err)
		}
		time.Sleep(time.Second / 10) // The quota.
	}
	time.Sleep(time.Minute) // All are active.
	texts := make([]string, len(objects))
	for i, u := range objects {
		texts[i] = jsonOf(f, u)
	}
	for i := template + templates; i < f.n; i += templates {
		now, _ := f.Double.Function(f.name(i))
		replacer := strings.NewReplacer(f.name(template), f.name(i), string(fn.UID), uid(i), *c.RevisionId,
			now.RevisionId, *c.LastModified, now.LastModified)
		for _, text := range texts {
			u := &unstructured.Unstructured{}
			if err := u.UnmarshalJSON([]byte(replacer.Replace(text))); err != nil {
				f.t.Fatal(err)
			}
			if err := f.Cluster.Restore(u); err != nil {
				f.t.Fatal(err)
			}
		}
	}
}

func jsonOf(f *steadyFleet, u *unstructured.Unstructured) string {
	f.t.Helper()
	b, err := json.Marshal(u)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(b)
}
