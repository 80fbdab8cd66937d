package session

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
)

// TestDoubleOwnCalls checks that events about the provider's calls are recognised by its user agent and its identity,
// and that the session of a config itself can receive them.
func TestDoubleOwnCalls(t *testing.T) {
	const queue = "arn:aws:sqs:" + region + ":222222222222:drift"
	b := newDoubleEnv(t, namespaced(chained), secret(ns, "aws", map[string]string{"creds": ini}))
	s, err := b.Resolve(t.Context(), function("ProviderConfig", "default"), region)
	if err != nil {
		t.Fatal(err)
	}
	s.AWS.BaseEndpoint = aws.String(b.double.URL())
	b.double.AddQueue(queue)
	b.double.Trail(queue, 0)
	_, _ = Client(s, lambda.NewFromConfig).DeleteFunction(t.Context(),
		&lambda.DeleteFunctionInput{FunctionName: aws.String("cart")})

	config := &v1beta1.ProviderConfig{}
	if err := b.kube.Get(t.Context(), types.NamespacedName{Namespace: ns, Name: "default"}, config); err != nil {
		t.Fatal(err)
	}
	own, err := b.ResolveConfig(t.Context(), config, region)
	if err != nil {
		t.Fatal(err)
	}
	own.AWS.BaseEndpoint = aws.String(b.double.URL())
	c := Client(own, sqs.NewFromConfig)
	at, err := c.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: aws.String("drift")})
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: at.QueueUrl, WaitTimeSeconds: 20})
	if err != nil || len(out.Messages) != 1 {
		t.Fatalf("ReceiveMessage: %+v, %v", out, err)
	}
	e, err := cloudtrail.Parse([]byte(*out.Messages[0].Body))
	if err != nil {
		t.Fatal(err)
	}
	if s.Identity.ARN == "" || own.Identity != s.Identity || !e.By.MadeBy(s.Identity.ARN) || !e.Failed {
		t.Errorf("the event %+v is not of %+v", e, s.Identity)
	}
	if e.By.MadeBy("arn:aws:iam::222222222222:user/other") {
		t.Error("the call of another identity counts as one of the provider")
	}
}
