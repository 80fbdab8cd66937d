package function

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestVariables(t *testing.T) {
	objs := testenv.Objects{
		refs.SecretOf("ns", "app"):    refs.ObjectData{"A1": []byte("secret-a"), "B1": []byte("secret-b")},
		refs.ConfigMapOf("ns", "cfg"): refs.ObjectData{"B1": []byte("config-b")},
		refs.SecretOf("ns", "tls"):    refs.ObjectData{"tls.crt": []byte("x")},
		refs.SecretOf("ns", "big"):    refs.ObjectData{"BIG": []byte(strings.Repeat("x", 5000))},
		refs.SecretOf("ns", "key"):    refs.ObjectData{"KEY": {0xff, 0xfe, 'k'}},
	}
	fromSecret := func(name string, optional bool) v1beta1.EnvironmentSource {
		return v1beta1.EnvironmentSource{
			SecretRef: &v1beta1.EnvironmentSourceReference{Name: name, Optional: ptr.To(optional)},
		}
	}
	key := func(name, object, key string, optional bool) v1beta1.EnvironmentVariable {
		return v1beta1.EnvironmentVariable{Name: name, ValueFrom: v1beta1.ValueSource{
			SecretKeyRef: &v1beta1.KeySelector{Name: object, Key: key, Optional: ptr.To(optional)},
		}}
	}

	cases := map[string]struct {
		reason string
		e      *v1beta1.Environment
		want   map[string]string
		err    string
	}{
		"None": {reason: "No environment is none."},
		"LaterSourceWins": {
			reason: "Of two whole objects the later one wins, as in a Pod.",
			e: &v1beta1.Environment{EnvFrom: []v1beta1.EnvironmentSource{
				fromSecret("app", false), {ConfigMapRef: &v1beta1.EnvironmentSourceReference{Name: "cfg"}},
			}},
			want: map[string]string{"A1": "secret-a", "B1": "config-b"},
		},
		"SingleWins": {
			reason: "Single variables win over whole objects.",
			e: &v1beta1.Environment{
				EnvFrom:       []v1beta1.EnvironmentSource{fromSecret("app", false)},
				Variables:     map[string]string{"A1": "plain"},
				VariablesFrom: []v1beta1.EnvironmentVariable{key("B1", "app", "A1", false)},
			},
			want: map[string]string{"A1": "plain", "B1": "secret-a"},
		},
		"Prefix": {
			reason: "A prefix is put before each key.",
			e: &v1beta1.Environment{EnvFrom: []v1beta1.EnvironmentSource{
				{Prefix: ptr.To("APP_"), SecretRef: &v1beta1.EnvironmentSourceReference{Name: "app"}},
			}},
			want: map[string]string{"APP_A1": "secret-a", "APP_B1": "secret-b"},
		},
		"OptionalMissing": {
			reason: "What is optional may be missing: the object, or the key.",
			e: &v1beta1.Environment{
				EnvFrom: []v1beta1.EnvironmentSource{fromSecret("nope", true)},
				VariablesFrom: []v1beta1.EnvironmentVariable{
					key("X1", "app", "nope", true), key("X2", "nope", "x", true),
				},
			},
			want: map[string]string{},
		},
		"ObjectMissing": {
			reason: "A missing object is named, with the field.",
			e:      &v1beta1.Environment{EnvFrom: []v1beta1.EnvironmentSource{fromSecret("nope", false)}},
			err:    "cannot read spec.initProvider.environment.envFrom: Secret ns/nope does not exist",
		},
		"KeyMissing": {
			reason: "A missing key is named, with the variable.",
			e:      &v1beta1.Environment{VariablesFrom: []v1beta1.EnvironmentVariable{key("X1", "app", "nope", false)}},
			err:    `cannot read spec.initProvider.environment.variablesFrom[X1]: Secret ns/app has no key "nope"`,
		},
		"BadName": {
			reason: "An invalid name of a variable is rejected without a call to AWS.",
			e:      &v1beta1.Environment{EnvFrom: []v1beta1.EnvironmentSource{fromSecret("tls", false)}},
			err:    `key "tls.crt" of Secret ns/tls is not a valid name of a Lambda environment variable`,
		},
		"NoText": {
			reason: "A value that is no text is rejected: AWS would store another one.",
			e: &v1beta1.Environment{
				EnvFrom:       []v1beta1.EnvironmentSource{fromSecret("app", false)},
				VariablesFrom: []v1beta1.EnvironmentVariable{key("K1", "key", "KEY", false)},
			},
			err: "the value of spec.initProvider.environment's variable K1 is not UTF-8 text",
		},
		"WholeObjectNoText": {
			reason: "So is that of a whole object.",
			e:      &v1beta1.Environment{EnvFrom: []v1beta1.EnvironmentSource{fromSecret("key", false)}},
			err:    "the value of spec.initProvider.environment's variable KEY is not UTF-8 text",
		},
		"TooLarge": {
			reason: "More than 4 KB is rejected without a call to AWS, and the error names the largest sources.",
			e:      &v1beta1.Environment{EnvFrom: []v1beta1.EnvironmentSource{fromSecret("big", false)}},
			err:    "spec.initProvider.environment has 5003 bytes of names and values, but Lambda allows 4096: shorten it; the largest are [BIG]",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := variables(
				testContext(t),
				objs,
				"ns",
				"spec.initProvider",
				v1beta1.FunctionSettings{Environment: tc.e},
			)
			if (err == nil) != (tc.err == "") || (err != nil && !strings.Contains(err.Error(), tc.err)) {
				t.Fatalf("%s\nerror: want %q, got %v", tc.reason, tc.err, err)
			}
			if err != nil {
				if reconcile.IsInvalid(err) == refs.IsMissing(err) {
					t.Errorf(
						"%s\nonly what is missing may yet be applied, and the user has to correct the rest: %v",
						tc.reason,
						err,
					)
				}
				if strings.Contains(err.Error(), "xxxx") || strings.Contains(err.Error(), "secret-") {
					t.Errorf("an error must hold no value: %v", err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSteadyErrors checks that an error is the same at each reconcile: each new one is an update of status and an
// event.
func TestSteadyErrors(t *testing.T) {
	same := refs.ObjectData{}
	for _, k := range []string{"A1", "B1", "C1", "D1", "E1"} {
		same[k] = []byte(strings.Repeat("x", 1000))
	}
	objs := testenv.Objects{
		refs.SecretOf("ns", "tls"): refs.ObjectData{
			"tls.crt": []byte("x"),
			"tls.key": []byte("x"),
			"ca.crt":  []byte("x"),
		},
		refs.SecretOf("ns", "same"): same,
	}
	for name, want := range map[string]string{
		"tls":  `key "ca.crt" of Secret ns/tls is not a valid name`,
		"same": "the largest are [A1 B1 C1]",
	} {
		t.Run(name, func(t *testing.T) {
			e := &v1beta1.Environment{EnvFrom: []v1beta1.EnvironmentSource{
				{SecretRef: &v1beta1.EnvironmentSourceReference{Name: name}},
			}}
			for range 50 {
				_, err := variables(
					testContext(t),
					objs,
					"ns",
					"spec.initProvider",
					v1beta1.FunctionSettings{Environment: e},
				)
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Fatalf("want %q, got %v", want, err)
				}
			}
		})
	}
}

func TestObjectRefs(t *testing.T) {
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Environment = &v1beta1.Environment{
			VariablesFrom: []v1beta1.EnvironmentVariable{
				{Name: "A1", ValueFrom: v1beta1.ValueSource{SecretKeyRef: &v1beta1.KeySelector{Name: "a", Key: "k"}}},
			},
			EnvFrom: []v1beta1.EnvironmentSource{{SecretRef: &v1beta1.EnvironmentSourceReference{Name: "a"}}, {
				ConfigMapRef: &v1beta1.EnvironmentSourceReference{Name: "b"},
			}, {}}, // Only admission rejects an empty entry, and a panic in an index would end the process.
		}
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{ConfigMapRef: &v1beta1.LocalObjectReference{Name: "code"}}
		f.Spec.InitProvider = &v1beta1.FunctionSettings{Code: &v1beta1.FunctionCode{
			ZipFileFrom: &v1beta1.ZipFileSource{ConfigMapKeyRef: &v1beta1.KeySelector{Name: "zip", Key: "z"}},
		}}
	})
	want := []refs.ObjectRef{
		refs.SecretOf("ns", "a"),
		refs.ConfigMapOf("ns", "b"),
		refs.ConfigMapOf("ns", "code"),
		refs.ConfigMapOf("ns", "zip"),
	}
	if diff := cmp.Diff(want, objectRefs(f)); diff != "" {
		t.Errorf("every object that wakes the function, each once: -want, +got:\n%s", diff)
	}
}
