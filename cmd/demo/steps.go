package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// The maximum times that a step waits.
const (
	readyWithin = 90 * time.Second
	fixedWithin = 60 * time.Second
)

// The names of the resources in the steps.
const (
	driftOf   = "hello"
	rotateOf  = "with-environment"
	rotated   = "db"
	releaseOf = "shop"
	released  = "shop-lib"
	follower  = "live"
)

// run runs the demo's steps in order. It returns an error if a step does not show the expected result.
func run(ctx context.Context, f flags) error {
	fmt.Println("provider-lambda demo: a real Kubernetes API server, a double of AWS, the provider. No account, no " +
		"Docker.")
	e, err := startEnv(ctx, f)
	if err != nil {
		return err
	}
	defer e.stop()

	for _, step := range []func(context.Context) error{e.create, e.drift, e.rotate, e.release, e.rollOut, e.signed} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if f.Once {
		return e.remove(ctx)
	}
	e.farewell()
	<-ctx.Done()
	fmt.Println("\nStopping.")
	return nil
}

// create applies the examples and shows how each becomes ready.
func (e *env) create(ctx context.Context) error {
	files := exampleFiles(e.flags.Examples)
	sectionf("kubectl apply -f %s", strings.Join(files, " -f "))
	applied, err := e.apply(ctx, files)
	if err != nil {
		return err
	}
	took, err := e.watch(ctx, readyWithin, "every resource is Ready",
		func(all resources) bool { return len(all) == applied && all.ready() })
	if err != nil {
		return err
	}
	fmt.Printf("\n%d resources are Ready after %s.\n", applied, took)
	return nil
}

// drift changes a function in AWS out of band and shows how the provider corrects it.
func (e *env) drift(ctx context.Context) error {
	before, err := e.configuration(ctx, driftOf)
	if err != nil {
		return err
	}
	sectionf("Drift: changing the memory of %s in AWS by hand, from %d to 1024 MB", driftOf, *before.MemorySize)
	if _, err := e.aws.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{
		FunctionName: ptr.To(driftOf), MemorySize: ptr.To[int32](1024),
	}); err != nil {
		return fmt.Errorf("cannot change function %s by hand: %w", driftOf, err)
	}
	took, err := e.watch(ctx, fixedWithin, "the memory is what the manifest says, and the Function Ready",
		func(all resources) bool {
			now, err := e.configuration(ctx, driftOf)
			f := find[*v1beta1.Function](all, driftOf)
			return err == nil && *now.MemorySize == *before.MemorySize && f != nil && ready(f)
		})
	if err != nil {
		return err
	}
	fmt.Printf("\nCorrected after %s (the demo polls AWS every %s; the default is 10 minutes).\n",
		took, pollInterval)
	return e.events(ctx, driftOf)
}

// rotate changes a Secret and shows that the function has the new value.
func (e *env) rotate(ctx context.Context) error {
	sectionf("The Secret %s is rotated", rotated)
	s := &corev1.Secret{}
	if err := e.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: rotated}, s); err != nil {
		return fmt.Errorf("cannot read Secret %s: %w", rotated, err)
	}
	fresh := fmt.Sprintf("rotated-%d", time.Now().UnixNano())
	s.StringData = map[string]string{"password": fresh}
	if err := e.kube.Update(ctx, s); err != nil {
		return fmt.Errorf("cannot rotate Secret %s: %w", rotated, err)
	}
	took, err := e.watch(ctx, fixedWithin, "AWS has the new value, and the Function is Ready",
		func(all resources) bool {
			now, err := e.configuration(ctx, rotateOf)
			f := find[*v1beta1.Function](all, rotateOf)
			return err == nil && now.Environment != nil && now.Environment.Variables["DB_PASSWORD"] == fresh &&
				f != nil && ready(f)
		})
	if err != nil {
		return err
	}
	fmt.Printf("\nRolled out after %s, through a watch. The value is in no status, event or log.\n",
		took)
	return e.events(ctx, rotateOf)
}

// release changes a ConfigMap and shows that the layer with its content is published, that the function moves to the
// new version and is published, and that the alias follows.
func (e *env) release(ctx context.Context) error {
	sectionf("The ConfigMap %s is edited: a layer, a function and an alias follow", released)
	all, err := e.resources(ctx)
	if err != nil {
		return err
	}
	alias := find[*v1beta1.Alias](all, follower)
	if alias == nil {
		return fmt.Errorf("there is no Alias %s", follower)
	}
	before := ptr.Deref(alias.Status.AtProvider.FunctionVersion, "")
	if err := e.editLayer(ctx, `{"tea": 4, "coffee": 5}`); err != nil {
		return err
	}
	after := ""
	took, err := e.watch(ctx, fixedWithin, "the alias invokes the new version", func(all resources) bool {
		a, f := find[*v1beta1.Alias](all, follower), find[*v1beta1.Function](all, releaseOf)
		if a == nil || f == nil {
			return false
		}
		after = ptr.Deref(a.Status.AtProvider.FunctionVersion, "")
		return after != before && after == ptr.Deref(f.Status.AtProvider.LatestPublishedVersion, "") && all.ready()
	})
	if err != nil {
		return err
	}
	fmt.Printf("\nThe alias %s went from version %s to %s after %s. No manifest names a version.\n", follower, before,
		after, took)
	return e.events(ctx, follower)
}

// editLayer changes the prices in the ConfigMap with the content of the layer.
func (e *env) editLayer(ctx context.Context, prices string) error {
	cm := &corev1.ConfigMap{}
	if err := e.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: released}, cm); err != nil {
		return fmt.Errorf("cannot read ConfigMap %s: %w", released, err)
	}
	cm.Data["prices.py"] = fmt.Sprintf("PRICES = %s  # %d\n", prices, time.Now().UnixNano())
	if err := e.kube.Update(ctx, cm); err != nil {
		return fmt.Errorf("cannot edit ConfigMap %s: %w", released, err)
	}
	return nil
}

// remove deletes everything and checks that nothing is left in AWS.
func (e *env) remove(ctx context.Context) error {
	e.customers.leave()
	sectionf("kubectl delete everything that was applied")
	all, err := e.resources(ctx)
	if err != nil {
		return err
	}
	for _, mg := range all {
		if err := e.kube.Delete(ctx, mg); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("cannot delete %s %s: %w", kindOf(mg), mg.GetName(), err)
		}
	}
	took, err := e.watch(ctx, fixedWithin, "every resource is deleted",
		func(all resources) bool { return len(all) == 0 })
	if err != nil {
		return err
	}
	if left := e.double.Resources(awsdouble.DefaultAccount, region); len(left) > 0 {
		return fmt.Errorf("this was left behind in AWS: %v", left)
	}
	fmt.Printf("\nAll resources were deleted after %s, and nothing is left in AWS.\n", took)
	return nil
}

func (e *env) farewell() {
	sectionf("Next steps, in another terminal")
	fmt.Printf(`    export KUBECONFIG=%s
    kubectl get lambda                         # all resources of this provider
    kubectl describe lambdafn %s
    kubectl get lambdaalias %s -o wide -w    # then edit the ConfigMap %s: another rollout begins
    kubectl edit lambdafn %s                # change memorySize, environment, code ...
    kubectl explain lambdafn.spec.forProvider
    curl http://%s/metrics
    export AWS_ENDPOINT_URL=%s AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any
    aws --region %s lambda list-functions
    make build && export PATH=$PWD/bin:$PATH    # the plugin of docs/kubectl-lambda.md
    kubectl lambda status %s
    kubectl lambda invoke %s
    kubectl lambda logs %s

The double allows the provider what %s allows.
Take an action out, change a manifest, and see what the provider says until you put it back.

Apply your own manifests: the function at the top of README.md, or docs/rollouts.md#a-first-rollout. The demo invokes
each alias of yours %d times a second. The double of AWS does not run code: a version fails if its inline code has
raise or throw, and others return null.

With real AWS: install the provider in your cluster, and apply a ClusterProviderConfig
as docs/authentication.md shows. The same manifests work there.

Everything stays up until Ctrl-C.
`, e.kubeconfig(), driftOf, follower, released, driftOf, e.metrics, e.double.URL(), region,
		driftOf, driftOf, driftOf, e.policyFile(), invokedPerSecond)
}

func sectionf(format string, args ...any) { fmt.Printf("\n==> "+format+"\n", args...) }

// configuration returns the configuration of a function in AWS, and an error while AWS updates the function.
func (e *env) configuration(ctx context.Context, name string) (*lambda.GetFunctionConfigurationOutput, error) {
	out, err := e.aws.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: ptr.To(name)})
	if err != nil {
		return nil, fmt.Errorf("cannot read function %s: %w", name, err)
	}
	if out.LastUpdateStatus != types.LastUpdateStatusSuccessful {
		return nil, fmt.Errorf("function %s is being updated", name)
	}
	return out, nil
}

// events prints a resource's last event about an update, as kubectl describe shows it.
func (e *env) events(ctx context.Context, name string) error {
	all, err := e.eventsOf(ctx, name)
	if err != nil {
		return err
	}
	last := metav1.Time{}
	text := ""
	for _, ev := range all {
		if ev.Reason == "UpdatedExternalResource" && !ev.LastTimestamp.Before(&last) {
			last, text = ev.LastTimestamp, ev.Reason+": "+ev.Message
		}
	}
	if text != "" {
		fmt.Printf("    event: %s\n", text)
	}
	return nil
}

// eventsOf returns the events of the resources of a name.
func (e *env) eventsOf(ctx context.Context, name string) ([]corev1.Event, error) {
	list := &corev1.EventList{}
	if err := e.kube.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("cannot list events: %w", err)
	}
	others := func(ev corev1.Event) bool { return ev.InvolvedObject.Name != name }
	return slices.DeleteFunc(list.Items, others), nil
}

// exampleFiles returns the files that the demo applies, in order.
func exampleFiles(dir string) []string {
	return []string{
		filepath.Join(dir, "function", "inline.yaml"), filepath.Join(dir, "function", "environment.yaml"),
		filepath.Join(dir, "function", "configmap.yaml"),
		filepath.Join(dir, "function", "s3.yaml"), filepath.Join(dir, "function", "image.yaml"),
		filepath.Join(dir, "app", "shop.yaml"),
	}
}

func readFile(path string) ([]byte, error) {
	b, err := os.ReadFile(path) //nolint:gosec // The path is the user's own.
	if err != nil {
		return nil, fmt.Errorf("cannot read %s (run the demo from the repository's root): %w", path, err)
	}
	return b, nil
}
