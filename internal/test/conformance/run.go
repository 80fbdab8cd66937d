package conformance

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// A Runner runs scenarios. The provider must reconcile the cluster, with calls that pass the gate.
type Runner struct {
	Run Run
	// Kube is a client of the cluster.
	Kube client.Client
	// AWS is the configuration of clients whose calls pass the gate.
	AWS  aws.Config
	Gate *Gate
	// Role is the ARN of a role for functions. Empty makes one.
	Role string
	// Given are further values that scenarios may need, by name.
	Given map[string]string
	// Within is the longest time that a step takes. 0 means 5 minutes; rollouts take up to 20.
	Within time.Duration
	// Invoke begins the traffic of an alias, and returns what ends it. Nil invokes the alias once in two seconds.
	Invoke func(ctx context.Context, t Traffic) (stop func())
	// Open returns the file of a scenario's recording. Nil records nothing.
	Open func(scenario string) (io.WriteCloser, error)
	// Log receives a line for each scenario and each failure.
	Log func(format string, args ...any)
}

// A Result is the result of a scenario.
type Result struct {
	Scenario string `json:"scenario"`
	// Missing names the values that the scenario needs and that were not given. It was then left out.
	Missing string `json:"missing,omitempty"`
	// Error is the reason for which it failed, empty if it succeeded or was left out.
	Error string `json:"error,omitempty"`
	// Lacking are operations that the endpoint does not have.
	Lacking []string `json:"lacking,omitempty"`
	Calls   int      `json:"calls"`
	Seconds int      `json:"seconds"`
}

// roleWait is the time after which Lambda usually knows a new role.
const roleWait = 20 * time.Second

// errAccount is the error of an account that is not the confirmed one.
var errAccount = errors.New("the account is not confirmed")

// Confirm checks by STS that the credentials are those of an account. Nothing is made in another one.
func Confirm(ctx context.Context, cfg aws.Config, account string) error {
	out, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return fmt.Errorf("cannot find out whose credentials these are: %w", err)
	}
	if got := aws.ToString(out.Account); got != account || account == "" {
		return fmt.Errorf("%w: the credentials are those of %s, and ACCOUNT is %q; nothing was made", errAccount, got,
			account)
	}
	return nil
}

// Scenarios makes what all scenarios need, and runs them one after the other. It ends early if ctx ends or the budget
// is spent. The results are those of the scenarios that began.
func (r *Runner) Scenarios(ctx context.Context, chosen func(Scenario) bool) ([]Result, error) {
	if err := Confirm(ctx, r.AWS, r.Run.Account); err != nil {
		return nil, err
	}
	values, err := r.prepare(ctx)
	if err != nil {
		return nil, err
	}
	all, err := Scenarios(values)
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, sc := range all {
		if !chosen(sc) {
			continue
		}
		if ctx.Err() != nil || r.Gate.Spent() {
			return results,
				fmt.Errorf("scenario %s and those after it were not run: the budget is spent, or the run was "+
					"stopped", sc.Name)
		}
		results = append(results, r.scenario(ctx, sc, values))
	}
	return results, nil
}

// prepare makes the role and the queue of the run, and returns the values of placeholders.
func (r *Runner) prepare(ctx context.Context) (map[string]string, error) {
	role := r.Role
	if role == "" {
		var err error
		if role, err = (iam{r.AWS}).makeRole(ctx, r.Run); err != nil {
			return nil, err
		}
		select { // Otherwise the first creations of functions are rejected.
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(roleWait):
		}
	}
	queue := r.Run.Prefix() + "queue"
	if _, err := sqs.NewFromConfig(r.AWS).CreateQueue(ctx, &sqs.CreateQueueInput{
		QueueName: &queue, Tags: map[string]string{TagKey: r.Run.ID},
	}); err != nil {
		return nil, fmt.Errorf("cannot make a queue: %w", err)
	}
	return valuesOf(r.Run, role, r.Given), nil
}

// valuesOf returns the values of the placeholders of scenarios.
func valuesOf(r Run, role string, given map[string]string) map[string]string {
	code := awsdouble.Zip(map[string]string{"index.py": "def handler(event, context):\n    return 1\n"})
	lambda := "arn:aws:lambda:" + r.Region + ":" + r.Account
	values := map[string]string{
		"p": r.Prefix(), "run": r.ID, "account": r.Account, "region": r.Region, "role": role,
		"queue": "arn:aws:sqs:" + r.Region + ":" + r.Account + ":" + r.Prefix() + "queue",
		"fn":    lambda + ":function:" + r.Prefix(), "layer": lambda + ":layer:" + r.Prefix(),
		"zip": base64.StdEncoding.EncodeToString(code),
	}
	maps.Copy(values, given)
	return values
}

// scenario runs a scenario, and deletes its objects whether it succeeds or not.
func (r *Runner) scenario(ctx context.Context, sc Scenario, values map[string]string) Result {
	res := Result{Scenario: sc.Name, Missing: sc.Missing()}
	if res.Missing != "" {
		r.Log("%s: left out, since it needs %s", sc.Name, res.Missing)
		return res
	}
	began := time.Now()
	before, _ := r.Gate.Counts()
	r.Gate.Lacking()
	if r.Open != nil {
		out, err := r.Open(sc.Name)
		if err != nil {
			res.Error = err.Error()
			return res
		}
		defer out.Close() //nolint:errcheck // Each line was written.
		d := NewRedactor(r.Run, roleName(r.Role), said(&sc, values)...)
		r.Gate.Record(NewRecorder(out, d, func() int64 { return time.Since(began).Milliseconds() }))
		defer r.Gate.Record(nil)
	}
	s := &steps{Runner: r, lambda: lambda.NewFromConfig(r.AWS), saved: map[string]string{}}
	if err := s.run(ctx, sc.Steps); err != nil {
		res.Error = err.Error()
	}
	if err := s.remove(ctx); err != nil {
		s.abandon(ctx)
		if res.Error == "" {
			res.Error = err.Error()
		}
	}
	after, _ := r.Gate.Counts()
	res.Lacking = r.Gate.Lacking()
	res.Calls, res.Seconds = after-before, int(time.Since(began).Seconds())
	r.Log("%s: %d calls in %d s. %s", sc.Name, res.Calls, res.Seconds, res.Error)
	return res
}

// poll is the interval at which the provider polls what a run has made, so that it soon finds what was changed by hand.
const poll = 10 * time.Second

// NewProvider returns the provider as its binary assembles it, with calls of AWS by a client. The context limits the
// requests with which it starts.
func NewProvider(
	ctx context.Context, cfg *rest.Config, c *awshttp.BuildableClient, l logr.Logger,
) (ctrl.Manager, error) {
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	o := manager.Options{
		Options: controller.Options{
			PollInterval: poll, MaxConcurrentReconciles: 10, Features: features, //nolint:mnd // As in the binary.
		},
		Log: l, MinPollInterval: time.Second, ListPolls: true, PollJitter: 0.1, //nolint:mnd // As in the binary.
	}
	o.Config.HTTPClient = c
	return manager.New(ctx, cfg, o)
}

// Config returns the config by which the provider uses the caller's own credentials or, with an endpoint, none. All
// that it makes carries the tag of the run. driftQueue is the ARN of a queue of drift events, empty without one.
func Config(r Run, driftQueue string) client.Object {
	pc := &v1beta1.ClusterProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Name: configName},
		Spec: v1beta1.ClusterProviderConfigSpec{
			Credentials: v1beta1.ClusterProviderCredentials{Source: v1beta1.CredentialsSourceIRSA},
		},
	}
	pc.Spec.Tags = map[string]v1beta1.TagValue{TagKey: v1beta1.TagValue(r.ID)}
	if driftQueue != "" {
		pc.Spec.DriftEvents = &v1beta1.DriftEvents{QueueARN: driftQueue}
	}
	if r.Endpoint != "" {
		pc.Spec.Credentials.Source = v1beta1.CredentialsSourceNone
		pc.Spec.Endpoint = &v1beta1.EndpointConfig{
			URL: v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: ptr.To(r.Endpoint)},
		}
		pc.Spec.S3UsePathStyle = true
	}
	return pc
}
