package functionurl

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// env is a test environment with a function.
type env struct {
	*testenv.Env[*v1beta1.FunctionURL]
}

func newEnv(t testing.TB) env {
	t.Helper()
	return env{functionconfigtest.New(t, 0, func(w *testenv.AWS) reconcile.Observer[*v1beta1.FunctionURL] {
		return newExternal(w.Lambda)
	})}
}

func TestLifecycle(t *testing.T) {
	e := newEnv(t)
	u := newURL(func(u *v1beta1.FunctionURL) {
		u.Spec.ForProvider.Qualifier = ptr.To(functionconfigtest.Alias)
		u.Spec.ForProvider.Cors = &v1beta1.Cors{AllowOrigins: []string{"*"}, AllowHeaders: []string{"Content-Type"}}
	})
	e.Want(u, "a create and a look", testenv.Created, testenv.Converged)
	url := ptr.Deref(u.Status.AtProvider.FunctionURL, "")
	if meta.GetExternalName(u) != "cart:live" || url == "" {
		t.Errorf("named %q, at %q", meta.GetExternalName(u), url)
	}
	if got := e.Done.Details["functionUrl"]; string(got) != url {
		t.Errorf("the connection is %s, want the URL", got)
	}

	u.Spec.ForProvider.Cors = nil
	u.Spec.ForProvider.AuthType = ptr.To("NONE")
	e.Want(u, "one update carries all", testenv.Updated, testenv.Converged)
	if at := u.Status.AtProvider; at.Cors != nil || *at.AuthType != "NONE" || *at.FunctionURL != url {
		t.Errorf("got %+v, want no CORS, and the same URL", at)
	}

	if _, err := e.Lambda.UpdateFunctionUrlConfig(t.Context(), &lambda.UpdateFunctionUrlConfigInput{
		FunctionName: ptr.To(
			functionconfigtest.Function,
		),
		Qualifier: ptr.To(functionconfigtest.Alias),
		Cors:      &types.Cors{AllowOrigins: []string{"https://evil.example"}},
	}); err != nil {
		t.Fatal(err)
	}
	e.Advance(1)
	e.Want(u, "a change by hand is put right", testenv.Updated, testenv.Converged)

	e.Remove(u)
	e.Want(u, "it goes", testenv.Deleted, testenv.Gone)
}

// TestAliasThatIsGone checks that the URL, which AWS does not delete with its alias, is deleted by its own resource.
func TestAliasThatIsGone(t *testing.T) {
	e := newEnv(t)
	u := newURL(func(u *v1beta1.FunctionURL) { u.Spec.ForProvider.Qualifier = ptr.To(functionconfigtest.Alias) })
	e.Want(u, "a create and a look", testenv.Created, testenv.Converged)
	if _, err := e.Lambda.DeleteAlias(t.Context(), &lambda.DeleteAliasInput{
		FunctionName: ptr.To(functionconfigtest.Function), Name: ptr.To(functionconfigtest.Alias),
	}); err != nil {
		t.Fatal(err)
	}
	e.Remove(u)
	e.Want(u, "it goes", testenv.Deleted, testenv.Gone)
}

func TestLostAnswer(t *testing.T) {
	e := newEnv(t)
	e.Double.Fail(awsdouble.Fault{Operation: opCreate, Drop: awsdouble.DropAfter, Times: 1})
	u := newURL()
	// The SDK retries, and AWS reports that the URL exists.
	if _, err := e.Do(u); err != nil {
		t.Fatal(err)
	}
	if meta.GetExternalName(u) != "" {
		t.Fatal("the answer was not lost")
	}
	if got := e.Outcomes(u); len(got) != 1 || meta.GetExternalName(u) != "cart" {
		t.Errorf("%v, named %q, want that it is found again", got, meta.GetExternalName(u))
	}
	if n := e.Double.Count(opCreate); n != 2 {
		t.Errorf("%d creates, want the first and the SDK's own second", n)
	}
}

func TestLostAnswerOfADeletedResource(t *testing.T) {
	e := newEnv(t)
	e.Double.Fail(awsdouble.Fault{Operation: opCreate, Drop: awsdouble.DropAfter, Times: 1})
	u := newURL()
	if _, err := e.Do(u); err != nil {
		t.Fatal(err)
	}
	u.Spec.ForProvider.FunctionName = nil // The Function that it referred to no longer exists.
	e.Remove(u)
	e.Want(u, "nothing stays behind", testenv.Deleted, testenv.Gone)
}

// generator generates random settings that AWS accepts.
type generator struct{ *rand.Rand }

func (g generator) subset(of ...string) []string {
	var out []string
	for _, s := range of {
		if g.IntN(2) == 0 {
			out = append(out, s)
		}
	}
	g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func (g generator) settings() v1beta1.FunctionURLSettings {
	s := v1beta1.FunctionURLSettings{
		AuthType:   ptr.To([]string{"NONE", "AWS_IAM"}[g.IntN(2)]),
		InvokeMode: testenv.Some(g.Rand, "BUFFERED", "RESPONSE_STREAM"),
	}
	if g.IntN(3) > 0 {
		s.Cors = &v1beta1.Cors{
			AllowCredentials: testenv.Some(
				g.Rand,
				true,
				false,
			),
			AllowHeaders: g.subset("X-A", "x-b", "*"),
			AllowMethods: g.subset("GET", "POST", "*"),
			AllowOrigins: append(
				g.subset("https://a.example", "https://b.example"),
				"*",
			),
			ExposeHeaders: g.subset("Date", "x-c"),
			MaxAge:        testenv.Some[int32](g.Rand, 0, 60),
		}
	}
	return s
}

// TestRandomSettingsConverge checks that random settings are reached from random former
// ones and stay.
func TestRandomSettingsConverge(t *testing.T) {
	e := newEnv(t)
	const pairs = 300
	for seed := range uint64(pairs) {
		g := generator{rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // Tests are reproducible.
		u := newURL(func(u *v1beta1.FunctionURL) {
			u.Spec.ForProvider.FunctionURLSettings = g.settings()
			if g.IntN(3) == 0 {
				u.Spec.InitProvider = ptr.To(g.settings())
			}
		})
		if got := e.Outcomes(u); len(got) != 2 {
			t.Fatalf("seed %d: %v to create %+v", seed, got, u.Spec)
		}
		created := u.DeepCopy()
		u.Spec.ForProvider.FunctionURLSettings = g.settings()
		if got := e.Outcomes(u); len(got) > 2 {
			t.Fatalf("seed %d: %v\nfrom %+v\nto   %+v", seed, got, created.Spec, u.Spec)
		}
		e.check(seed, u)
		e.Remove(u)
		e.Outcomes(u)
	}
}

// check checks that AWS has what spec says, by the observed status.
func (e env) check(seed uint64, u *v1beta1.FunctionURL) {
	e.Helper()
	p, at := u.Spec.ForProvider, u.Status.AtProvider
	if *p.AuthType != *at.AuthType || p.InvokeMode != nil && *p.InvokeMode != *at.InvokeMode {
		e.Fatalf("seed %d: spec %+v, AWS %+v", seed, p, at)
	}
	if u.Spec.InitProvider != nil && u.Spec.InitProvider.Cors != nil {
		return
	}
	want, got := normal(v1beta1.FunctionURLSettings{Cors: p.Cors}), normal(v1beta1.FunctionURLSettings{Cors: at.Cors})
	if diff := cmp.Diff(want, got); diff != "" {
		e.Fatalf("seed %d: -spec +AWS:\n%s", seed, diff)
	}
}

// TestInitialOriginsOfCors checks that cors is created with the origins that only initProvider sets, again when someone
// removed it.
func TestInitialOriginsOfCors(t *testing.T) {
	e := newEnv(t)
	u := newURL(func(u *v1beta1.FunctionURL) {
		u.Spec.ForProvider.Cors = &v1beta1.Cors{MaxAge: ptr.To[int32](60)}
		u.Spec.InitProvider = &v1beta1.FunctionURLSettings{Cors: &v1beta1.Cors{AllowOrigins: []string{"*"}}}
	})
	for _, want := range [][]string{{opCreate}, {opUpdate}} {
		if diff := cmp.Diff(want, e.Converge(u)); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		if c := u.Status.AtProvider.Cors; c == nil || len(c.AllowOrigins) != 1 || *c.MaxAge != 60 {
			t.Errorf("cors is %+v", c)
		}
		_, err := e.Lambda.UpdateFunctionUrlConfig(t.Context(), &lambda.UpdateFunctionUrlConfigInput{
			FunctionName: ptr.To("cart"), Cors: &types.Cors{},
		})
		e.Must(err)
	}
}

// TestLostAnswerOfAnotherFunction checks that the URL that an unanswered create has made is not left behind if spec
// names another function before it is found.
func TestLostAnswerOfAnotherFunction(t *testing.T) {
	const attempts = 3 // Of the SDK.
	e := newEnv(t)
	e.AddFunction("basket")
	e.Double.Fail(awsdouble.Fault{Operation: opCreate, Drop: awsdouble.DropAfter, Times: attempts})
	u := newURL()
	if _, err := e.Do(u); err == nil {
		t.Fatal("the create was answered")
	}
	u.Spec.ForProvider.FunctionName = ptr.To("basket") // The one that functionNameRef is resolved to now.
	u.Generation++
	if _, err := e.Step(u); err == nil || !strings.Contains(err.Error(), `from "cart" to "basket"`) {
		t.Errorf("got %v, want that the URL of cart would be left behind", err)
	}
	e.Remove(u)
	e.Want(u, "nothing stays behind", testenv.Deleted, testenv.Gone)
}
