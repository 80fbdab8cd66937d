package session

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const (
	userARN = "arn:aws:iam::123456789012:user/ci"
	webRole = "arn:aws:iam::111111111111:role/web"
	issuer  = "https://oidc.example.org/id/1"
	subject = "system:serviceaccount:crossplane-system:provider-lambda"
)

// A doubleBed has the double of AWS in strict mode as its STS: keys are checked, and expire by the clock of the bed.
type doubleEnv struct {
	*env

	double *awsdouble.Server
	issuer *awsdouble.Issuer
}

// newDoubleEnv returns a double that knows the user of ini, and the roles one and two in accounts
// of their own. One trusts the user, and two trusts one.
func newDoubleEnv(t *testing.T, objs ...client.Object) *doubleEnv {
	t.Helper()
	b := &doubleEnv{env: newEnv(t, Options{}, objs...)}
	b.double = awsdouble.New(awsdouble.Options{Now: b.now, StrictCredentials: true})
	b.double.Start()
	t.Cleanup(b.double.Close)
	t.Setenv("AWS_ENDPOINT_URL_STS", b.double.URL())
	b.double.AddUser(awsdouble.User{
		ARN: userARN, AccessKeyID: "AKIAONE", SecretAccessKey: "hunter2",
		MayAssume: []string{"*"},
	})
	b.double.AddRole(awsdouble.Role{
		ARN: roleOne, Principals: []string{userARN, webRole}, TagSession: true,
		MayAssume: []string{roleTwo},
	})
	b.double.AddRole(awsdouble.Role{ARN: roleTwo, Principals: []string{roleOne}, TagSession: true})
	b.double.AddRole(awsdouble.Role{
		ARN: webRole, Principals: []string{
			awsdouble.ServicePods,
			awsdouble.ServiceInstances,
		}, TagSession: true, MayAssume: []string{roleOne},
		WebIdentity: &awsdouble.WebIdentity{Issuer: issuer, Subject: subject, Audience: "sts.amazonaws.com"},
	})
	var err error
	if b.issuer, err = awsdouble.NewIssuer(issuer, awsdouble.RS256); err != nil {
		t.Fatal(err)
	}
	b.double.AddIssuer("111111111111", b.issuer, "sts.amazonaws.com", "pods.eks.amazonaws.com")
	return b
}

// token returns a token of the provider's ServiceAccount that is valid for an hour.
func (b *doubleEnv) token(t *testing.T, audience string) string {
	t.Helper()
	text, err := b.issuer.Token(subject, audience, b.now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// call calls Lambda as a reconcile does. A function that does not exist is no error: AWS knew the caller.
func (b *doubleEnv) call(t *testing.T, f *v1beta1.Function) error {
	t.Helper()
	s, err := b.Resolve(t.Context(), f, region)
	if err != nil {
		return err
	}
	c := lambda.NewFromConfig(s.AWS, func(o *lambda.Options) {
		o.BaseEndpoint = aws.String(b.double.URL())
		o.DisableClockSkewCorrection = true // The SDK would repeat what is denied, since its clock is not the double's.
	})
	_, err = c.GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: aws.String("f")})
	if awserr.IsNotFound(err) {
		return nil
	}
	return err
}

func (b *doubleEnv) expect(t *testing.T, what string, calls map[string]int) {
	t.Helper()
	got := map[string]int{}
	for op := range calls {
		got[op] = b.double.Count(op)
	}
	if diff := cmp.Diff(calls, got); diff != "" {
		t.Errorf("%s: calls of STS: -want, +got:\n%s", what, diff)
	}
}

func chained(s *v1beta1.ProviderConfigSpec) {
	s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{role(roleOne), role(roleTwo)}
}
