package main

import (
	"context"
	"regexp"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// invokedPerSecond is the number of invocations that each alias of the user's own receives in a second.
const invokedPerSecond = 10

// raises matches code that fails, in Python or JavaScript. The double does not run code.
var raises = regexp.MustCompile(`(?m)^[^#]*\b(raise|throw)\b`)

// traffic invokes the aliases that the user creates beside the demo's own, and lets versions fail whose code raises an
// exception. The double turns the invocations into metrics of Lambda.
type traffic struct {
	e *env

	mu sync.Mutex
	// versions has the versions of each function whose code is known, $LATEST included, and whether it fails.
	versions map[string]map[string]bool
}

// startTraffic searches for aliases and invokes them until the demo ends.
func (e *env) startTraffic(ctx context.Context) {
	t := &traffic{e: e, versions: map[string]map[string]bool{}}
	e.background(ctx, func(ctx context.Context) { wait.UntilWithContext(ctx, t.observe, refresh) })
}

// observe learns of new versions and aliases. It tries again at the next interval what the API server does not answer.
func (t *traffic) observe(ctx context.Context) {
	functions, aliases := &v1beta1.FunctionList{}, &v1beta1.AliasList{}
	if t.e.kube.List(ctx, functions) != nil || t.e.kube.List(ctx, aliases) != nil {
		return
	}
	for i := range functions.Items {
		t.learn(&functions.Items[i])
	}
	for i := range aliases.Items {
		a := &aliases.Items[i]
		function := ptr.Deref(a.Status.AtProvider.FunctionName, "")
		if function == "" || function == releaseOf {
			continue
		}
		t.e.double.Traffic(awsdouble.Traffic{
			Region: a.Spec.ForProvider.Region, Function: function, Alias: meta.GetExternalName(a),
			PerMinute: invokedPerSecond * time.Minute.Seconds(), Versions: t.outcomes(function),
		})
	}
}

// learn records whether a function and its latest version fail. They have the code of the manifest once the Function is
// Ready with it.
func (t *traffic) learn(f *v1beta1.Function) {
	name, version := meta.GetExternalName(f), ptr.Deref(f.Status.AtProvider.LatestPublishedVersion, "")
	if !ready(f) || name == releaseOf {
		return
	}
	if t.record(name, version, fails(f)) {
		t.e.double.OnInvoke(name, func(in awsdouble.Invoked) awsdouble.Returned { return t.respond(name, in.Version) })
	}
}

// record records whether a function fails, and its latest version, unless that is known or empty. It reports whether
// the function was unknown.
func (t *traffic) record(function, version string, fails bool) (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if first = t.versions[function] == nil; first {
		t.versions[function] = map[string]bool{}
	}
	t.versions[function][functionname.Latest] = fails
	if _, known := t.versions[function][version]; version != "" && !known {
		t.versions[function][version] = fails
	}
	return first
}

// respond returns what a version returns to the user's own invocations and to smoke tests.
func (t *traffic) respond(function, version string) awsdouble.Returned {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.versions[function][version] {
		return awsdouble.Returned{}
	}
	return awsdouble.Returned{
		Error: "Unhandled", Payload: []byte(`{"errorMessage":"the code raises an exception","errorType":"Exception"}`),
	}
}

// fails reports whether the code in a manifest raises an exception.
func fails(f *v1beta1.Function) bool {
	if f.Spec.ForProvider.Code == nil {
		return false
	}
	for _, text := range f.Spec.ForProvider.Code.Inline {
		if raises.MatchString(text) {
			return true
		}
	}
	return false
}

// outcomes returns the outcomes of invocations of the versions that fail. Others succeed.
func (t *traffic) outcomes(function string) map[string]awsdouble.Outcomes {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := map[string]awsdouble.Outcomes{}
	for version, fails := range t.versions[function] {
		if fails {
			all[version] = awsdouble.Outcomes{ErrorRate: 1}
		}
	}
	return all
}
