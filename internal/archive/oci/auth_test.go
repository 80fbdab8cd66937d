package oci

import (
	"encoding/json"
	"strings"
	"testing"

	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// pullSecret returns a Secret with the credentials of one host.
func pullSecret(t *testing.T, host, user, password string) PullSecret {
	t.Helper()
	b, err := json.Marshal(map[string]any{"auths": map[string]any{host: map[string]any{
		"username": user, "password": password,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := ParsePullSecret(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPullSecret(t *testing.T) {
	at := func(locations ...string) string {
		var entries []string
		for _, l := range locations {
			entries = append(entries, `"`+l+`":{"username":"`+l+`","password":"secret"}`)
		}
		return `{"auths":{` + strings.Join(entries, ",") + `}}`
	}
	cases := map[string]struct {
		reason, secret, ref string
		// want is the name of the user.
		want string
	}{
		"Host":   {"An entry is for all repositories of a host.", at("ghcr.io"), "ghcr.io/acme/orders:v1", "ghcr.io"},
		"Other":  {"And for no other host.", at("ghcr.io"), "quay.io/acme/orders:v1", ""},
		"Suffix": {"A host is compared as a whole.", at("ghcr.io"), "ghcr.io.example/acme/orders:v1", ""},
		"URL": {
			"A location may be a URL.", at("https://ghcr.io"), "ghcr.io/acme/orders:v1",
			"https://ghcr.io",
		},
		"Path": {
			"The longest path is preferred.", at("ghcr.io", "ghcr.io/acme", "ghcr.io/acme/other"),
			"ghcr.io/acme/orders:v1", "ghcr.io/acme",
		},
		"Part": {
			"A * stands for one part of a name.", at("*.dkr.ecr.*.example.com"),
			"1.dkr.ecr.eu-west-1.example.com/a:v1", "*.dkr.ecr.*.example.com",
		},
		"Parts":    {"And not for two.", at("*.example.com"), "a.b.example.com/a:v1", ""},
		"Port":     {"A port has to be the same.", at("localhost"), "localhost:5000/a:v1", ""},
		"SamePort": {"Then an entry fits.", at("localhost:5000"), "localhost:5000/a:v1", "localhost:5000"},
		"DockerHub": {
			"Docker Hub has this location.", at("https://index.docker.io/v1/"), "docker.io/library/a:v1",
			"https://index.docker.io/v1/",
		},
		"DockerIO": {"Or its name.", at("docker.io"), "docker.io/library/a:v1", "docker.io"},
		"Auth": {
			"Credentials may be in one field.", `{"auths":{"ghcr.io":{"auth":"c2hvcDpzZWNyZXQ="}}}`,
			"ghcr.io/acme/orders:v1", "shop",
		},
		"AuthFirst": {
			"That field comes before the others, as for the kubelet.",
			`{"auths":{"ghcr.io":{"auth":"c2hvcDpzZWNyZXQ=","username":"old","password":"old"}}}`,
			"ghcr.io/acme/orders:v1", "shop",
		},
		"Unpadded": {
			"Its padding may be missing.", `{"auths":{"ghcr.io":{"auth":"c2hvcDpzZWNyZXQ"}}}`,
			"ghcr.io/acme/orders:v1", "shop",
		},
		"Empty": {
			"Credentials may be in a store of the user's own. Then others count.",
			`{"auths":{"ghcr.io/acme":{},"ghcr.io":{"username":"shop","password":"secret"}}}`,
			"ghcr.io/acme/orders:v1", "shop",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := ParsePullSecret([]byte(tc.secret))
			if err != nil {
				t.Fatal(err)
			}
			r, err := registry.ParseReference(tc.ref)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := s.credential(r)
			if got.Username != tc.want || ok != (tc.want != "") || ok && got.Password != "secret" {
				t.Errorf("%s\nwant %q, got %q (%v)", tc.reason, tc.want, got.Username, ok)
			}
		})
	}
}

// TestSpellings checks that of two spellings of one location, it is always the same that counts.
func TestSpellings(t *testing.T) {
	const secret = `{"auths":{"https://ghcr.io/v2/":{"username":"b"},"ghcr.io":{"username":"a"},"http://ghcr.io":{"username":"c"}}}`
	for range 50 {
		s, err := ParsePullSecret([]byte(secret))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := s.credential(
			registry.Reference{Registry: "ghcr.io", Repository: "acme/orders"},
		); got.Username != "a" {
			t.Fatalf("got %q", got.Username)
		}
	}
}

func TestParsePullSecretRefuses(t *testing.T) {
	for name, secret := range map[string]string{
		"NoJSON":     "secret",
		"NoBase64":   `{"auths":{"ghcr.io":{"auth":"secret!"}}}`,
		"NoPassword": `{"auths":{"ghcr.io":{"auth":"c2VjcmV0"}}}`,
		"NoHost":     `{"auths":{"":{"username":"secret"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParsePullSecret([]byte(secret))
			if err == nil || strings.Contains(err.Error(), "secret!") || strings.Contains(err.Error(), "c2V") {
				t.Errorf("want an error without the value, got %v", err)
			}
		})
	}
}

// TestOrder has credentials of several sources.
func TestOrder(t *testing.T) {
	r, err := registry.ParseReference("ghcr.io/acme/orders:v1")
	if err != nil {
		t.Fatal(err)
	}
	a := Auth{PullSecrets: []PullSecret{
		pullSecret(t, "quay.io", "quay", "secret"), pullSecret(t, "ghcr.io", "first", "secret"),
		pullSecret(t, "ghcr.io", "second", "secret"),
	}}
	if got, err := a.credential(t.Context(), r); got.Username != "first" || err != nil {
		t.Errorf("the first secret that fits has the credentials, got %q: %v", got.Username, err)
	}
	if got, err := (Auth{}).credential(t.Context(), r); got != auth.EmptyCredential || err != nil {
		t.Errorf("without a secret, a registry is called anonymously, got %q: %v", got.Username, err)
	}
}

func FuzzParsePullSecret(f *testing.F) {
	f.Add([]byte(`{"auths":{"*.ghcr.io/acme":{"auth":"c2hvcDpzZWNyZXQ="}}}`), "ghcr.io/acme/orders:v1")
	f.Add([]byte(`{"auths":{"[::1]:5000":{"username":"a","password":"b"}}}`), "[::1]:5000/a:v1")
	f.Fuzz(func(t *testing.T, secret []byte, ref string) {
		s, err := ParsePullSecret(secret)
		r, errRef := registry.ParseReference(ref)
		if err != nil || errRef != nil {
			return
		}
		if _, ok := s.credential(r); ok && len(s.entries) == 0 {
			t.Error("there are no credentials")
		}
	})
}
