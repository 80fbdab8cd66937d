package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/yaml"
)

const hidden = "s3cr3t-v4lu3"

// hiding holds a secret in every way that a struct can.
type hiding struct {
	Plain   Secret
	Pointer *Secret
	List    []Secret
	Map     map[string]Secret
	Any     any
	Keys    map[Secret]string

	inside Secret
	nested struct{ value Secret }
}

func newHiding() hiding {
	s := NewSecret(hidden)
	h := hiding{
		Plain: s, Pointer: &s, List: []Secret{s}, Map: map[string]Secret{"k": s}, Any: s,
		Keys: map[Secret]string{s: "v"}, inside: s,
	}
	h.nested.value = s
	return h
}

func TestSecretIsNeverShown(t *testing.T) {
	h := newHiding()
	shown := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%08.3f", "%p", "%U", "%c"} {
		shown["fmt "+verb] = fmt.Sprintf(verb, h)
		shown["fmt pointer "+verb] = fmt.Sprintf(verb, &h)
		shown["fmt secret "+verb] = fmt.Sprintf(verb, h.Plain)
		shown["fmt changes "+verb] = fmt.Sprintf(verb, Compare(sample{Env: environment{Variables: h.Map}}, sample{}))
	}
	shown["errors"] = fmt.Errorf("cannot set %v: %w", h, fmt.Errorf("%v", h.Plain)).Error()
	shown["print"] = fmt.Sprint(h, h.Plain)

	h.Keys = nil // Two secrets would be one key.
	for name, marshal := range map[string]func(any) ([]byte, error){"json": json.Marshal, "yaml": yaml.Marshal} {
		b, err := marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		shown[name] = string(b)
	}

	for name, log := range map[string]func(*bytes.Buffer){
		"slog text": func(b *bytes.Buffer) { slog.New(slog.NewTextHandler(b, nil)).Info("m", "h", h, "s", h.Plain) },
		"slog json": func(b *bytes.Buffer) { slog.New(slog.NewJSONHandler(b, nil)).Info("m", "h", h, "s", h.Plain) },
		"logr":      func(b *bytes.Buffer) { funcr.New(writeTo(b), funcr.Options{}).Info("m", "h", h, "s", h.Plain) },
		"logr json": func(b *bytes.Buffer) {
			funcr.NewJSON(lineTo(b), funcr.Options{}).Info("m", "h", h, "s", h.Plain)
		},
		"zap": func(b *bytes.Buffer) { zap.New(zap.WriteTo(b)).Info("m", "h", h, "s", h.Plain) },
		"zap dev": func(b *bytes.Buffer) {
			zap.New(zap.WriteTo(b), zap.UseDevMode(true)).Info("m", "h", h, "s", h.Plain)
		},
	} {
		b := &bytes.Buffer{}
		log(b)
		if b.Len() == 0 {
			t.Errorf("%s wrote nothing", name)
		}
		shown[name] = b.String()
	}

	// As text, in hexadecimal and as bytes in decimal.
	for _, form := range []string{hidden, fmt.Sprintf("%x", hidden), fmt.Sprintf("%X", hidden), strings.Trim(
		fmt.Sprintf("%d", []byte(hidden)), "[]",
	)} {
		for how, text := range shown {
			if strings.Contains(text, form) {
				t.Errorf("%s shows the secret: %s", how, text)
			}
		}
	}
	if got := fmt.Sprintf(
		"%v|%+v|%#v|%s|%q", h.Plain, h.Plain, h.Plain, h.Plain, h.Plain,
	); got != strings.Repeat("(redacted)|", 4)+"(redacted)" {
		t.Errorf("a secret prints as %s", got)
	}
}

func writeTo(b *bytes.Buffer) func(string, string) {
	return func(prefix, args string) { b.WriteString(prefix + args) }
}

func lineTo(b *bytes.Buffer) func(string) { return func(line string) { b.WriteString(line) } }

// TestSecretReveals checks that secrets can be sent and compared.
func TestSecretReveals(t *testing.T) {
	m := map[string]string{"a": hidden, "b": ""}
	if diff := cmp.Diff(m, Reveal(Secrets(m))); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if Secrets(nil) != nil {
		t.Error("no map became one")
	}
	if Reveal(nil) == nil {
		t.Error("AWS would keep what is to be cleared")
	}
	if got := (Secret{}).Reveal(); got != "" {
		t.Errorf("the zero Secret is %q", got)
	}
	if !NewSecret("").Equal(Secret{}) || !NewSecret("a").Equal(NewSecret("a")) || NewSecret("a").Equal(NewSecret("b")) {
		t.Error("secrets are told apart by something else than their texts")
	}
}

// TestChangesRedact checks that a change shows that a secret changed, and not to what.
func TestChangesRedact(t *testing.T) {
	of := func(s string) sample {
		return sample{
			Env:     environment{Variables: Secrets(map[string]string{"TOKEN": s})},
			Network: &network{Proxy: &proxy{Key: new(NewSecret(s))}},
		}
	}
	cases := map[string]struct {
		reason            string
		desired, observed sample
		want              string
	}{
		"Changed": {
			reason:  "Both values are secret.",
			desired: of("new-" + hidden), observed: of(hidden),
			want: "environment.variables[TOKEN], network.proxy.key",
		},
		"Added": {
			reason:  "A whole added block is redacted if it contains a secret.",
			desired: of(hidden), observed: sample{},
			want: `environment.variables[TOKEN]: added (redacted), network: added {proxy:{key:(redacted)}}`,
		},
		"Removed": {
			reason:  "What was there is as secret.",
			desired: sample{Network: &network{Proxy: &proxy{}}}, observed: of(hidden),
			want: "environment.variables[TOKEN]: removed, network.proxy.key: removed",
		},
		"Emptied": {
			reason:   "The output does not reveal that a secret is empty.",
			desired:  sample{Env: environment{Variables: Secrets(map[string]string{"TOKEN": ""})}},
			observed: sample{Env: environment{Variables: Secrets(map[string]string{"TOKEN": hidden})}},
			want:     "environment.variables[TOKEN]",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Compare(tc.desired, tc.observed).String()); diff != "" {
				t.Errorf("\n%s\nCompare(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
