package layerversion

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// uses creates a function that uses one version of the layer.
func (e *env) uses(function string, n int) {
	e.Helper()
	e.AddFunction(function, func(in *lambda.CreateFunctionInput) { in.Layers = []string{arn(n)} })
}

// moves changes a function to use another version.
func (e *env) moves(function string, n int) {
	e.Helper()
	_, err := e.Lambda.UpdateFunctionConfiguration(
		e.Context(),
		&lambda.UpdateFunctionConfigurationInput{FunctionName: &function, Layers: []string{arn(n)}},
	)
	e.Must(err)
}

// publishes publishes one version per text for a layer that deletes unused old versions.
func (e *env) publishes(l *v1beta1.LayerVersion, texts ...string) {
	e.Helper()
	for _, text := range texts {
		edit(l, func(p *v1beta1.LayerVersionParameters) {
			p.OldVersions, p.Content = ptr.To(v1beta1.OldVersionsDeleteUnused), inline(text)
		})
		e.Converge(l)
	}
}

func TestUnusedVersionsAreDeleted(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	e.publishes(l, "one", "two")
	e.wantVersions("No function uses the first", 2)
	e.uses("latest", 2)
	e.publishes(l, "three")
	e.uses("published", 3)
	_, err := e.Lambda.PublishVersion(t.Context(), &lambda.PublishVersionInput{FunctionName: ptr.To("published")})
	e.Must(err)
	e.publishes(l, "four")
	e.moves("published", 4)
	e.wantVersions("$LATEST uses one, a published version another", 2, 3, 4)
	if got, want := l.GetCondition(xpv2.TypeReady).Message, "functions still use the old versions 2, 3"; got != want {
		t.Errorf("Ready says %q, want %q", got, want)
	}

	before := e.Double.Count(opFunctions)
	e.Poll(l)
	if got := e.Double.Count(opFunctions); got != before {
		t.Errorf("what is in use is not asked about at each look: %d more calls", got-before)
	}
	e.moves("latest", 4)
	e.Advance(firstCheck)
	if diff := cmp.Diff([]string{opDelete}, e.Converge(l)); diff != "" {
		t.Errorf("it goes once no function uses it: -want, +got:\n%s", diff)
	}
	e.wantVersions("A published version uses the other for ever", 3, 4)
}

// TestVersionsInUseAreCheckedRarely checks that versions that stay in use cost fewer and
// fewer calls.
func TestVersionsInUseAreCheckedRarely(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	e.publishes(l, "one")
	e.uses("f", 1)
	e.publishes(l, "two")
	before := e.Double.Count(opFunctions)
	for range 7 * 24 * 6 {
		e.Advance(10 * time.Minute)
		e.Poll(l)
	}
	if got := e.Double.Count(opFunctions) - before; got < 7 || got > 20 {
		t.Errorf("%d calls in a week", got)
	}
	e.wantVersions("It is in use all the time", 1, 2)
}

func TestARemovedLayerKeepsUsedVersions(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	e.publishes(l, "one")
	e.uses("f", 1)
	e.publishes(l, "two")
	e.uses("g", 2)
	e.publishes(l, "three")
	e.moves("g", 3)
	e.Advance(time.Minute)
	e.Remove(l)
	e.Converge(l)
	e.wantVersions("Only what a function uses is left", 1)
}

func TestUnknownUsage(t *testing.T) {
	for name, fault := range map[string]awsdouble.Error{
		"Denied":  awsdouble.AccessDenied("lambda:ListFunctions"),
		"Unknown": {Status: 404, Code: "UnknownOperationException", Message: "no such operation"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			l := testLayer()
			e.Double.Fail(awsdouble.Fault{Operation: opFunctions, Times: -1, Error: fault})
			e.publishes(l, "one", "two")
			e.wantVersions("Nothing is deleted without knowing", 1, 2)
			if got := l.GetCondition(
				xpv2.TypeReady,
			).Message; !strings.HasPrefix(
				got,
				"old versions are kept, because AWS does not return",
			) {
				t.Errorf("Ready says %q", got)
			}
			if got := e.Double.Count(opFunctions); got != 1 {
				t.Errorf("%d calls in the same moment", got)
			}
		})
	}
}

// pager returns one function per page, with one layer of pages.
type pager struct {
	pages []string
	calls []string
}

// client returns a client that returns the pages.
func (p *pager) client(t *testing.T) *lambda.Client {
	t.Helper()
	return testenv.NewScripted(t, testenv.Script{"ListFunctions": testenv.Scripted(p.listFunctions)}).Lambda
}

func (p *pager) listFunctions(in *lambda.ListFunctionsInput) (*lambda.ListFunctionsOutput, error) {
	i := len(ptr.Deref(in.Marker, ""))
	p.calls = append(p.calls, fmt.Sprint(in.FunctionVersion, i))
	out := &lambda.ListFunctionsOutput{
		Functions: []types.FunctionConfiguration{{Layers: []types.Layer{{}, {Arn: &p.pages[i]}}}},
	}
	if i+1 < len(p.pages) {
		out.NextMarker = ptr.To(strings.Repeat("x", i+1))
	}
	return out, nil
}

// TestEndlessSurvey checks that reading ends if each page names a next one, or if it takes too long, and is then
// paused.
func TestEndlessSurvey(t *testing.T) {
	for name, perPage := range map[string]time.Duration{"Pages": 0, "Slow": 30 * time.Second} {
		t.Run(name, func(t *testing.T) {
			api := &pager{pages: make([]string, 2*mostPages)}
			th, l, now := &external{api: api.client(t), usages: newUsages()}, testLayer(), testenv.Start
			for range 4 * mostPages {
				now = now.Add(perPage)
				granted := 1
				th.facts = reconcile.Facts{
					Fresh: readcache.Freshness{Now: now},
					ReserveFn: func(...string) time.Duration {
						if granted--; granted < 0 {
							return time.Second
						}
						return 0
					},
				}
				if free, _, _ := th.unused(t.Context(), l, "l", []int64{1}); len(free) > 0 {
					t.Fatalf("%v are deleted without knowing", free)
				}
			}
			u := th.usages.get(l)
			if got := len(api.calls); got > mostPages || u.pause == 0 {
				t.Errorf("%d calls; %+v", got, u)
			}
		})
	}
}

// TestSurveyGoesOnWhereItStopped checks that reading continues with the next page if the quota is exhausted between two
// pages, even if the whole takes longer than a list is valid.
func TestSurveyGoesOnWhereItStopped(t *testing.T) {
	api := &pager{pages: []string{arn(1), strings.Replace(arn(2), ":l:", ":other:", 1), arn(3)}}
	th, l := &external{api: api.client(t), usages: newUsages()}, testLayer()
	granted := 1
	for round := range 4 {
		th.facts = reconcile.Facts{
			Fresh: readcache.Freshness{Now: testenv.Start.Add(time.Duration(round) * 40 * time.Second)},
			ReserveFn: func(...string) time.Duration {
				if granted--; granted < 0 {
					return time.Second
				}
				return 0
			},
		}
		free, u, err := th.unused(t.Context(), l, "l", []int64{1, 2, 3})
		if later := (*reconcile.LaterError)(nil); errors.As(err, &later) != (round < 2) || round >= 2 && err != nil {
			t.Fatal(err)
		}
		if round < 2 && (len(free) > 0 || u.done) {
			t.Errorf("a part of the functions tell nothing: %v", free)
		}
		if round >= 2 && !cmp.Equal([]int64{2}, free) {
			t.Errorf("want version 2, which only another layer has, got %v", free)
		}
		granted = 1
	}
	if diff := cmp.Diff([]string{"ALL0", "ALL1", "ALL2"}, api.calls); diff != "" {
		t.Errorf("calls: -want, +got:\n%s", diff)
	}
}
