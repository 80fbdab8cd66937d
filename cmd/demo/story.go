package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Times that the story waits for something to happen before it gives up.
const (
	readyWithin = 90 * time.Second
	fixedWithin = 60 * time.Second
)

// What the story is about.
const (
	driftOf  = "hello"
	rotateOf = "with-environment"
	rotated  = "db"
)

// run tells the story, a step at a time. Each step returns an error if what it
// shows did not happen.
func run(ctx context.Context, f flags) error {
	fmt.Println("provider-lambda demo: a real Kubernetes API server, a double of AWS, the provider. No account, no Docker.")
	w, err := startWorld(ctx, f)
	if err != nil {
		return err
	}
	defer w.stop()

	for _, step := range []func(context.Context) error{w.create, w.drift, w.rotate} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if f.Once {
		return w.remove(ctx)
	}
	w.farewell()
	<-ctx.Done()
	fmt.Println("\nStopping.")
	return nil
}

// create applies the examples and shows how each becomes ready.
func (w *world) create(ctx context.Context) error {
	sectionf("kubectl apply -f %s", w.flags.Examples)
	names, err := w.apply(ctx)
	if err != nil {
		return err
	}
	took, err := w.watch(ctx, readyWithin, "every Function is Ready", func(fs []v1beta1.Function) bool {
		for i := range fs {
			if !ready(&fs[i]) {
				return false
			}
		}
		return len(fs) == len(names)
	})
	if err != nil {
		return err
	}
	fmt.Printf("\n%d Functions are Ready after %s.\n", len(names), took.Round(100*time.Millisecond))
	return nil
}

// drift changes a function by hand in AWS and shows how that is set right.
func (w *world) drift(ctx context.Context) error {
	before, err := w.memory(ctx, driftOf)
	if err != nil {
		return err
	}
	sectionf("Someone changes the memory of %s in AWS by hand: %d -> 1024 MB", driftOf, before)
	if _, err := w.aws.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To(driftOf), MemorySize: ptr.To[int32](1024)}); err != nil {
		return fmt.Errorf("cannot change function %s by hand: %w", driftOf, err)
	}
	took, err := w.watch(ctx, fixedWithin, "the memory is what the manifest says, and the Function Ready", func(fs []v1beta1.Function) bool {
		now, err := w.memory(ctx, driftOf)
		f := find(fs, driftOf)
		return err == nil && now == before && f != nil && ready(f)
	})
	if err != nil {
		return err
	}
	fmt.Printf("\nSet right after %s (the demo polls AWS every %s; the default is 10 minutes).\n", took.Round(100*time.Millisecond), pollInterval)
	return w.events(ctx, driftOf)
}

// rotate changes a Secret and shows that the function has the new value.
func (w *world) rotate(ctx context.Context) error {
	sectionf("The Secret %s is rotated", rotated)
	s := &corev1.Secret{}
	if err := w.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: rotated}, s); err != nil {
		return fmt.Errorf("cannot read Secret %s: %w", rotated, err)
	}
	fresh := fmt.Sprintf("rotated-%d", time.Now().UnixNano())
	s.StringData = map[string]string{"password": fresh}
	if err := w.kube.Update(ctx, s); err != nil {
		return fmt.Errorf("cannot rotate Secret %s: %w", rotated, err)
	}
	took, err := w.watch(ctx, fixedWithin, "AWS has the new value, and the Function is Ready", func(fs []v1beta1.Function) bool {
		f := find(fs, rotateOf)
		return w.variable(ctx, rotateOf, "DB_PASSWORD") == fresh && f != nil && ready(f)
	})
	if err != nil {
		return err
	}
	fmt.Printf("\nRolled out after %s, through a watch. The value is in no status, event or log.\n", took.Round(100*time.Millisecond))
	return w.events(ctx, rotateOf)
}

// remove deletes everything and checks that nothing is left in AWS.
func (w *world) remove(ctx context.Context) error {
	sectionf("kubectl delete functions --all")
	if err := w.kube.DeleteAllOf(ctx, &v1beta1.Function{}, client.InNamespace(namespace)); err != nil {
		return fmt.Errorf("cannot delete the Functions: %w", err)
	}
	took, err := w.watch(ctx, fixedWithin, "every Function is gone", func(fs []v1beta1.Function) bool { return len(fs) == 0 })
	if err != nil {
		return err
	}
	out, err := w.aws.ListFunctions(ctx, &lambda.ListFunctionsInput{})
	if err != nil {
		return fmt.Errorf("cannot list what is left in AWS: %w", err)
	}
	if n := len(out.Functions); n > 0 {
		return fmt.Errorf("%d functions were left behind in AWS", n)
	}
	fmt.Printf("\nAll gone after %s, and nothing is left in AWS.\n", took.Round(100*time.Millisecond))
	return nil
}

func (w *world) farewell() {
	sectionf("Go on yourself")
	path, err := filepath.Abs(w.flags.Kubeconfig)
	if err != nil {
		path = w.flags.Kubeconfig
	}
	fmt.Printf(`    export KUBECONFIG=%s
    kubectl get lambda                         # everything of this provider
    kubectl describe lambdafn %s
    kubectl edit lambdafn %s                # change memorySize, environment, code ...
    kubectl explain lambdafn.spec.forProvider
    aws --endpoint-url %s --region %s lambda list-functions   # with any credentials

With real AWS: install the provider in your cluster, and apply a ClusterProviderConfig
as docs/authentication.md shows. The same manifests work there.

Everything stays up until Ctrl-C.
`, path, driftOf, driftOf, w.double.URL(), region)
}

func sectionf(format string, args ...any) { fmt.Printf("\n==> "+format+"\n", args...) }

func ready(f *v1beta1.Function) bool {
	c := f.GetCondition("Ready")
	return c.Status == corev1.ConditionTrue && c.ObservedGeneration == f.GetGeneration()
}

func find(fs []v1beta1.Function, name string) *v1beta1.Function {
	for i := range fs {
		if fs[i].GetName() == name {
			return &fs[i]
		}
	}
	return nil
}

// memory of a function in AWS, in MB, and an error while AWS is changing it.
func (w *world) memory(ctx context.Context, name string) (int32, error) {
	out, err := w.aws.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: ptr.To(name)})
	if err != nil {
		return 0, fmt.Errorf("cannot read function %s: %w", name, err)
	}
	if out.LastUpdateStatus != types.LastUpdateStatusSuccessful {
		return 0, fmt.Errorf("function %s is being updated", name)
	}
	return ptr.Deref(out.MemorySize, 0), nil
}

// variable of a function in AWS, once AWS has rolled it out.
func (w *world) variable(ctx context.Context, name, key string) string {
	out, err := w.aws.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: ptr.To(name)})
	if err != nil || out.Environment == nil || out.LastUpdateStatus != types.LastUpdateStatusSuccessful {
		return ""
	}
	return out.Environment.Variables[key]
}

// events that tell of updates, as kubectl describe shows them.
func (w *world) events(ctx context.Context, name string) error {
	list := &corev1.EventList{}
	if err := w.kube.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return fmt.Errorf("cannot list events: %w", err)
	}
	last := metav1.Time{}
	text := ""
	for _, e := range list.Items {
		if e.InvolvedObject.Name == name && e.Reason == "UpdatedExternalResource" && !e.LastTimestamp.Before(&last) {
			last, text = e.LastTimestamp, e.Message
		}
	}
	if text != "" {
		fmt.Printf("    event: %s\n", text)
	}
	return nil
}

// exampleFiles are those that the demo applies, in order.
func exampleFiles(dir string) []string {
	var out []string
	for _, name := range []string{"inline.yaml", "environment.yaml", "configmap.yaml", "s3.yaml", "image.yaml"} {
		out = append(out, filepath.Join(dir, name))
	}
	return out
}

func readFile(path string) ([]byte, error) {
	b, err := os.ReadFile(path) //nolint:gosec // The path is the user's own.
	if err != nil {
		return nil, fmt.Errorf("cannot read %s (run the demo from the repository's root): %w", path, err)
	}
	return b, nil
}
