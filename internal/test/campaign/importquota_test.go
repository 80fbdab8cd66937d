package campaign

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// mostImportCalls is how many calls of the control plane, GetFunction and GetPolicy apart, an import may make for each
// function that has an alias and a version.
const mostImportCalls = 7.5

// TestImportQuota checks that an import of 300 functions is never throttled, takes no more time than the quota asks
// for, and makes no more calls than are documented.
func TestImportQuota(t *testing.T) {
	const functions = 300
	Run(t, awsdouble.Options{Quotas: awsdouble.LambdaQuotas()},
		func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(100 * time.Millisecond) // It stays within the quota.
			}
			for i := range functions {
				name := aws.String(fmt.Sprintf("function-%d", i))
				_, err := s.Lambda.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
					FunctionName: name, Role: aws.String("arn:aws:iam::123456789012:role/r"),
					Handler: aws.String("index.handler"), Runtime: types.RuntimePython313,
					Code: &types.FunctionCode{ZipFile: awsdouble.Zip(nil)}, Publish: true,
				})
				must(err)
				_, err = s.Lambda.CreateAlias(t.Context(), &lambda.CreateAliasInput{
					FunctionName: name,
					Name:         aws.String("live"), FunctionVersion: aws.String("1"),
				})
				must(err)
			}
			time.Sleep(time.Minute)
			s.Double.ResetCalls()
			begun := time.Now()
			r := s.imported()
			took := time.Since(begun)
			if n := s.Double.Throttled(); n > 0 {
				t.Errorf("%d calls were throttled", n)
			}
			if r.Functions != functions || len(r.Unproven()) > 0 {
				t.Errorf("%d functions, %d not proven", r.Functions, len(r.Unproven()))
			}
			sent, control, calls := 0, 0, map[string]int{}
			for _, c := range s.Double.Calls() {
				if c.Operation == "GetCallerIdentity" { // It has no quota.
					continue
				}
				sent++
				if calls[c.Operation]++; c.Operation != "GetFunction" && c.Operation != "GetPolicy" {
					control++
				}
			}
			if r.Calls != sent {
				t.Errorf("%d calls were counted, and %d sent", r.Calls, sent)
			}
			if per := float64(control) / functions; per > mostImportCalls {
				t.Errorf("%.2f calls of the control plane for each function, want at most %.2f: %v", per,
					mostImportCalls, calls)
			}
			if most := time.Duration(float64(control)/14.7*1.05*float64(time.Second)) + 10*time.Second; took > most {
				t.Errorf("it took %s for %d calls, want at most %s", took, control, most)
			}
			t.Logf("%d functions, %d calls of the control plane in %s: %v", functions, control, took, calls)
		})
}
