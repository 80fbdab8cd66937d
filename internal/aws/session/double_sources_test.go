package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// file returns the path of a file with a text.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDoubleSources fetches, with the SDK's own clients, what a pod of a cluster gets, and calls
// AWS with it for two hours.
func TestDoubleSources(t *testing.T) {
	node := clusterSource(v1beta1.CredentialsSourceIRSA)
	cases := map[string]struct {
		reason string
		config *v1beta1.ClusterProviderConfig
		setup  func(*testing.T, *doubleEnv)
		want   string
		calls  map[string]int
	}{
		"IRSA": {
			reason: "A token of the pod, by OpenID Connect.",
			config: clusterSource(v1beta1.CredentialsSourceIRSA),
			setup: func(t *testing.T, b *doubleEnv) {
				t.Helper()
				t.Setenv("AWS_ROLE_ARN", webRole)
				path := file(t, b.token(t, "sts.amazonaws.com"))
				t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", path)
			},
			want:  "arn:aws:sts::111111111111:assumed-role/web/provider-lambda",
			calls: map[string]int{"AssumeRoleWithWebIdentity": 2},
		},
		"PodIdentity": {
			reason: "A token of the pod, by the agent on its node.",
			config: clusterSource(v1beta1.CredentialsSourcePodIdentity),
			setup: func(t *testing.T, b *doubleEnv) {
				t.Helper()
				b.double.AddPodIdentity(b.issuer, subject, webRole)
				t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", b.double.URL()+"/v1/credentials")
				t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file(t, b.token(t, "pods.eks.amazonaws.com")))
			},
			want:  "arn:aws:sts::111111111111:assumed-role/web/eks-double-pod",
			calls: map[string]int{"AssumeRoleForPodIdentity": 2},
		},
		"PodIdentityChain": {
			reason: "EKS tags the pod's session, and the tags go on to the next role.",
			config: clusterSource(v1beta1.CredentialsSourcePodIdentity, func(s *v1beta1.ClusterProviderConfigSpec) {
				s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{role(roleOne)}
			}),
			setup: func(t *testing.T, b *doubleEnv) {
				t.Helper()
				b.double.AddPodIdentity(b.issuer, subject, webRole)
				t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", b.double.URL()+"/v1/credentials")
				t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file(t, b.token(t, "pods.eks.amazonaws.com")))
			},
			want:  "arn:aws:sts::111111111111:assumed-role/one/provider-lambda",
			calls: map[string]int{"AssumeRoleForPodIdentity": 2, "AssumeRole": 2},
		},
		"Node": {
			reason: "The role of the node, or what kube2iam puts in its place.",
			config: node,
			setup: func(t *testing.T, b *doubleEnv) {
				t.Helper()
				b.double.AddInstanceProfile(webRole)
				t.Setenv("AWS_EC2_METADATA_DISABLED", "false")
				t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", b.double.URL())
			},
			want:  "arn:aws:sts::111111111111:assumed-role/web/i-0123456789abcdef0",
			calls: map[string]int{"GetCallerIdentity": 1},
		},
		"SessionKeys": {
			reason: "Keys of a session, in the provider's environment.",
			config: clusterSource(v1beta1.CredentialsSourceEnvironment),
			setup: func(t *testing.T, b *doubleEnv) {
				t.Helper()
				own := b.double.ConfigFor(region, "AKIAONE")
				own.Credentials = credentials.NewStaticCredentialsProvider("AKIAONE", "hunter2", "")
				out, err := sts.NewFromConfig(own).AssumeRole(t.Context(), &sts.AssumeRoleInput{
					RoleArn:         new(roleOne),
					RoleSessionName: new("by-hand"),
				})
				if err != nil {
					t.Fatal(err)
				}
				b.environ["AWS_ACCESS_KEY_ID"], b.environ["AWS_SECRET_ACCESS_KEY"], b.environ["AWS_SESSION_TOKEN"] = *out.Credentials.AccessKeyId, *out.Credentials.SecretAccessKey, *out.Credentials.SessionToken
			},
			want:  "arn:aws:sts::111111111111:assumed-role/one/by-hand",
			calls: map[string]int{"GetCallerIdentity": 1, "AssumeRole": 1},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cleanEnvironment(t)
			b := newDoubleEnv(t, tc.config)
			tc.setup(t, b)
			f := function("ClusterProviderConfig", "default")
			if got := b.resolve(t, f).Identity.ARN; got != tc.want {
				t.Errorf("%s: acts as %s, want %s", tc.reason, got, tc.want)
			}
			for range 59 {
				if err := b.call(t, f); err != nil {
					t.Fatalf("%s: at %v: %v", tc.reason, b.now(), err)
				}
				b.wait(time.Minute)
			}
			b.expect(t, tc.reason, tc.calls)
		})
	}
}

// TestDoubleTagsOfResources has a role that serves only one namespace (ABAC).
func TestDoubleTagsOfResources(t *testing.T) {
	tagged := role(roleOne)
	tagged.ResourceTags, tagged.ExternalID = []string{"Namespace"}, new("ext")
	c := clusterSource(v1beta1.CredentialsSourceSecret, func(s *v1beta1.ClusterProviderConfigSpec) {
		s.Credentials.SecretRef = &v1beta1.CredentialsSecretSelector{
			Namespace:                      ns,
			LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{Name: "aws", Key: "creds"},
		}
		s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{tagged}
	})
	b := newDoubleEnv(t, c, secret(ns, "aws", map[string]string{"creds": ini}))
	b.double.AddRole(awsdouble.Role{
		ARN: roleOne, Principals: []string{userARN}, ExternalID: "ext", TagSession: true,
		RequestTags: map[string]string{"crossplane-namespace": ns},
	})
	if err := b.call(t, function("ClusterProviderConfig", "default")); err != nil {
		t.Error(err)
	}
	other := function("ClusterProviderConfig", "default")
	other.SetNamespace("team-b")
	if err := b.call(t, other); err == nil || !strings.Contains(err.Error(), "may not sts:AssumeRole on "+roleOne) {
		t.Errorf("a resource of another namespace: %v", err)
	}
}
