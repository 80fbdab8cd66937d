package permission

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

const (
	bucketStatement = `{"Sid":"bucket","Effect":"Allow","Principal":{"Service":"s3.amazonaws.com"},"Action":"lambda:InvokeFunction","Resource":"arn:aws:lambda:eu-central-1:123456789012:function:cart"}`
	otherStatement  = `{"Sid":"other","Effect":"Allow","Principal":"*","Action":"lambda:*","Resource":"arn:aws:lambda:eu-central-1:123456789012:function:cart"}`
)

// has returns a function that puts statements into the policy of function cart.
func has(statements string) func(env) {
	return func(e env) { e.put(functionArn, statements) }
}

// put puts statements into the policy of an ARN.
func (e env) put(arn, statements string) {
	e.Helper()
	if !e.Double.PutPolicy(arn, `{"Version":"2012-10-17","Id":"default","Statement":[`+statements+`]}`) {
		e.Fatal("the policy can't be put")
	}
}

func testPermission(change ...func(*v1beta1.Permission)) *v1beta1.Permission {
	return testenv.Build(&v1beta1.Permission{
		ObjectMeta: metav1.ObjectMeta{Name: "bucket", Namespace: "team", UID: "u1", Generation: 1},
		Spec: v1beta1.PermissionSpec{ForProvider: v1beta1.PermissionParameters{
			ConfiguredFunction: v1beta1.ConfiguredFunction{
				Regional:     v1beta1.Regional{Region: testenv.Region},
				FunctionName: ptr.To("cart"),
			},
			Action:    ptr.To("lambda:InvokeFunction"),
			Principal: ptr.To("s3.amazonaws.com"),
		}},
	}, change...)
}

var (
	// named sets the external name as if the permission had written it.
	named = testenv.Named[*v1beta1.Permission]("bucket")

	// imported sets the external name as if the user had set it.
	imported = testenv.Imported[*v1beta1.Permission]("bucket")
)
