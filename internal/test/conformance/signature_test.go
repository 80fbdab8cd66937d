package conformance

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestAsOnAWS runs a scenario without an endpoint, with the caller's credentials by the SDK's chain. The double in
// AWS's place checks signatures, so that a request which the gate has changed is rejected.
func TestAsOnAWS(t *testing.T) {
	user := awsdouble.User{
		ARN: "arn:aws:iam::123456789012:user/someone", AccessKeyID: "AKIASOMEONE", SecretAccessKey: "a-secret-key",
	}
	t.Setenv("AWS_ACCESS_KEY_ID", user.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", user.SecretAccessKey)
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
	synctest.Test(t, func(t *testing.T) {
		run := theRun
		run.Endpoint = ""
		s := newSimulation(t, run)
		s.double = awsdouble.New(awsdouble.Options{Now: time.Now, StrictCredentials: true})
		s.double.AddUser(user)
		s.double.AddQueue(given["driftQueue"])
		s.gate.Next = doubled{s.double}
		kube := s.provider(t)
		c, release := s.gate.HTTPClient()
		t.Cleanup(release)
		cfg, err := config.LoadDefaultConfig(t.Context(), config.WithRegion(run.Region), config.WithHTTPClient(c))
		if err != nil {
			t.Fatal(err)
		}
		r := &Runner{Run: run, Kube: kube, AWS: cfg, Gate: s.gate, Log: t.Logf}
		results, err := r.Scenarios(t.Context(), func(sc Scenario) bool {
			return slices.Contains([]string{"import", "secret"}, sc.Name)
		})
		if err != nil || len(results) != 2 {
			t.Fatalf("%d scenarios, %v", len(results), err)
		}
		for _, res := range results {
			if res.Error != "" {
				t.Errorf("%s: %s", res.Scenario, res.Error)
			}
		}
		if _, err := Clean(t.Context(), cfg, s.gate.State); err != nil || len(s.left()) > 0 {
			t.Errorf("left behind: %v, %v", s.left(), err)
		}
	})
}
