package manager

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpproviderconfig "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/providerconfig"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestKeysInASecret covers the keys of a Secret, from the first mistakes to a rotation. Everything is logged at debug
// level, measured, and written to the change log.
func TestKeysInASecret(t *testing.T) {
	t.Parallel()
	log, own := newSidecar(t), prometheus.NewRegistry()
	register(t, own)
	r := newStrictEnv(t, measured, log.options)
	r.sidecar, r.own = log, own
	byINI := r.pc("ini", func(s *v1beta1.ProviderConfigSpec) {
		s.Credentials.SecretRef.Key, s.Credentials.Profile = "credentials", ptr.To("ci")
	})
	byKeys := r.pc("keys")
	f, g := r.using("ini", "f"), r.using("keys", "g")
	r.create(byINI, byKeys, f, g)
	r.untilCondition(f, xpv2.TypeSynced, `ProviderConfig "ini" of namespace "`+r.ns+`"`,
		"Secret "+r.ns+"/ini does not exist: create it")
	r.untilCondition(byINI, xpv2.TypeReady, "Secret "+r.ns+"/ini does not exist: create it")

	ini := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "ini", Namespace: r.ns},
		StringData: map[string]string{"credentials": ciKey},
	}
	r.create(ini, r.keys("keys", ciID, ciKey))
	r.untilCondition(byINI, xpv2.TypeReady, "line 1 is neither a [section] nor key = value")
	r.rewrite(ini, "credentials", "[ci]\naws_access_key_id = "+ciID+"\naws_secret_access_key = wrong-"+ciKey+"\n")
	r.untilCondition(byINI, xpv2.TypeReady, "the signature does not match: check the secret access key")
	r.rewrite(ini, "credentials", "[ci]\naws_access_key_id = "+ciID+"\naws_secret_access_key = "+ciKey+"\n")
	r.ready(f)
	r.ready(g)
	for _, c := range []*v1beta1.ProviderConfig{byINI, byKeys} {
		r.untilCondition(c, xpv2.TypeReady, "Account 123456789012, as "+ci)
		r.until("the config counts its user", func() bool {
			return r.kube.Get(t.Context(), client.ObjectKeyFromObject(c), c) == nil && c.Status.Users == 1
		})
		if c.Status.AccountID != "123456789012" || c.Status.IdentityARN != ci {
			t.Errorf("%s: got %+v", c.GetName(), c.Status)
		}
	}

	// A new key is created, then written to the Secret, then the old one is deleted.
	const newID, newKey = "AKIACIUSEROFTESTS002", "ci-secret-key-of-tests-002"
	r.hide(newID, newKey)
	r.user(newID, newKey)
	r.rewrite(ini, "credentials", "[ci]\naws_access_key_id = "+newID+"\naws_secret_access_key = "+newKey+"\n")
	r.until("the new key is seen", func() bool {
		r.reconcile(f)
		return r.keyOfLastCall() == newID
	})
	r.double.RemoveKey(ciID)
	r.edit(f, func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = ptr.To[int32](256) })
	r.ready(f)
	r.reconcile(g)
	r.untilCondition(g, xpv2.TypeSynced, "AWS does not know the access key")
	r.rewrite(r.keys("keys", "", ""), "aws_access_key_id", newID, "aws_secret_access_key", newKey)
	r.until("the other function is well again", func() bool {
		r.reconcile(g)
		return g.GetCondition(xpv2.TypeSynced).Status == corev1.ConditionTrue
	})
	r.remove(g)
	r.gone(g)
	r.remove(f)
	r.gone(f)
	r.until("the change log tells", func() bool {
		all := log.String()
		return strings.Contains(all, "OPERATION_TYPE_CREATE") && strings.Contains(all, "OPERATION_TYPE_UPDATE") &&
			strings.Contains(all, "OPERATION_TYPE_DELETE")
	})
	if !strings.Contains(r.metrics(), "crossplane_managed_resource") {
		t.Error("nothing was measured")
	}
}

// rewrite replaces entries of a Secret.
func (r *strictEnv) rewrite(s *corev1.Secret, kv ...string) {
	r.Helper()
	r.until("the Secret is rewritten", func() bool {
		if err := r.kube.Get(r.Context(), client.ObjectKeyFromObject(s), s); err != nil {
			r.Fatal(err)
		}
		for i := 0; i < len(kv); i += 2 {
			s.Data[kv[i]] = []byte(kv[i+1])
		}
		err := r.kube.Update(r.Context(), s)
		if err != nil && !kerrors.IsConflict(err) {
			r.Fatal(err)
		}
		return err == nil
	})
}

// TestWebIdentityIntoAnotherAccount assumes a role with a token, and from it one of another account that requires an
// external ID and the namespace as a session tag. Then the token is replaced.
func TestWebIdentityIntoAnotherAccount(t *testing.T) {
	t.Parallel()
	r := newStrictEnv(t)
	token := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: r.ns},
		StringData: map[string]string{"token": r.token(-time.Minute)},
	}
	c := r.pc("web", roles(v1beta1.AssumeRoleOptions{
		RoleARN: ptr.To(spoke), ExternalID: ptr.To("shop-7f3a"), ResourceTags: []string{
			"Namespace",
		}, RoleSessionName: ptr.To("shop"),
	}), func(s *v1beta1.ProviderConfigSpec) {
		s.Credentials = v1beta1.ProviderCredentials{
			Source: v1beta1.CredentialsSourceWebIdentity,
			WebIdentity: &v1beta1.WebIdentityOptions{
				WebIdentityRole: v1beta1.WebIdentityRole{RoleARN: ptr.To(hub)},
				TokenConfig: &v1beta1.WebIdentityTokenConfig{
					Source:    v1beta1.CredentialsSourceSecret,
					SecretRef: &v1beta1.LocalCredentialsSecretSelector{Name: "web", Key: "token"},
				},
			},
		}
	})
	f := r.using("web", "f",
		func(f *v1beta1.Function) { f.Spec.ForProvider.Role = ptr.To("arn:aws:iam::222222222222:role/r") })
	r.create(token, c, f)
	r.untilCondition(f, xpv2.TypeSynced, `cannot use ProviderConfig "web"`,
		"the credentials or the token have expired: renew them (", "ExpiredTokenException)")
	r.untilCondition(c, xpv2.TypeReady, "the credentials or the token have expired: renew them (",
		"ExpiredTokenException)")
	r.rewrite(token, "token", r.token(time.Hour))
	began := time.Now()
	r.ready(f)
	t.Logf("Ready %s after the Secret was corrected", time.Since(began).Round(time.Second))
	const caller = "222222222222 arn:aws:sts::222222222222:assumed-role/spoke/shop"
	if calls := r.lambdaCalls(); len(calls) != 1 || calls[caller] == 0 {
		t.Errorf("all calls of Lambda must be those of %s, got %v", caller, calls)
	}
	if arn := ptr.Deref(f.Status.AtProvider.FunctionArn, ""); !strings.Contains(arn, ":222222222222:") {
		t.Errorf("the function must be in the role's account, got %s", arn)
	}
	// A reconcile that has read the Secret before it was corrected may have the token used once more.
	web, assumed := r.succeeded("AssumeRoleWithWebIdentity"), r.succeeded("AssumeRole")
	if web < 1 || web > 2 || assumed != 1 {
		t.Errorf("%d calls of AssumeRoleWithWebIdentity, %d of AssumeRole, want 1 each", web, assumed)
	}
	// The config's identity is that which does not depend on the resource.
	r.untilCondition(c, xpv2.TypeReady,
		"Account 111111111111, as arn:aws:sts::111111111111:assumed-role/hub/provider-lambda")

	r.rewrite(token, "token", r.token(2*time.Hour))
	r.until("the new token is used", func() bool {
		r.reconcile(f)
		return r.succeeded("AssumeRoleWithWebIdentity") > web
	})
	if n := r.succeeded("AssumeRole"); n != assumed {
		t.Errorf("%d calls of AssumeRole, but the credentials of the role are still valid", n)
	}
	r.remove(f)
	r.gone(f)
	left, err := r.inAccount("222222222222").ListFunctions(t.Context(), &lambda.ListFunctionsInput{})
	if err != nil || len(left.Functions) > 0 {
		t.Errorf("nothing must be left in the role's account, got %d functions, %v", len(left.Functions), err)
	}
}

// TestRoleThatMayNotBeAssumed covers a role whose trust policy does not allow the caller. The condition reports it,
// and once it is corrected in IAM the Function continues without a change of its manifest.
func TestRoleThatMayNotBeAssumed(t *testing.T) {
	t.Parallel()
	r := newStrictEnv(t)
	r.double.AddRole(awsdouble.Role{ARN: hub, Principals: []string{"arn:aws:iam::999999999999:root"}})
	c := r.pc("aws", roles(v1beta1.AssumeRoleOptions{RoleARN: ptr.To(hub)}))
	f := r.using("aws", "f",
		func(f *v1beta1.Function) { f.Spec.ForProvider.Role = ptr.To("arn:aws:iam::111111111111:role/r") })
	r.create(r.keys("aws", ciID, ciKey), c, f)
	const what = ci + " may not sts:AssumeRole on " + hub + ": allow sts:AssumeRole on " + hub + " for " + ci + " in its policy, and trust " + ci + " in the role's trust policy"
	got := r.untilCondition(f, xpv2.TypeSynced, `cannot use ProviderConfig "aws" of namespace "`+r.ns+`"`, what)
	if got.Status != corev1.ConditionFalse {
		t.Errorf("Synced must be False, got %+v", got)
	}
	if got := r.untilCondition(c, xpv2.TypeReady, what); got.Status != corev1.ConditionFalse {
		t.Errorf("Ready of the config must be False, got %+v", got)
	}
	r.until("events tell of it", func() bool {
		return strings.Contains(r.events("f"), "may not sts:AssumeRole") &&
			strings.Contains(r.events("aws"), "CannotAuthenticate")
	})
	r.double.AddRole(awsdouble.Role{ARN: hub, Principals: []string{ci}})
	r.ready(f)
}

// TestConfigInUse checks that a config in use is not deleted, and lists its users.
func TestConfigInUse(t *testing.T) {
	t.Parallel()
	r := newStrictEnv(t)
	c, f := r.pc("aws"), r.using("aws", "f")
	r.create(r.keys("aws", ciID, ciKey), c, f)
	r.ready(f)
	if err := r.kube.Delete(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	r.untilCondition(c, xpproviderconfig.TypeTerminating,
		"Function "+r.ns+"/f still uses this config: delete them, or have them use another one")
	r.until("an event tells of it", func() bool { return strings.Contains(r.events("aws"), "DeletionBlocked") })
	r.edit(f, func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = ptr.To[int32](256) })
	r.ready(f)
	r.remove(f)
	r.gone(f)
	r.until("the config is gone", func() bool {
		return kerrors.IsNotFound(r.kube.Get(t.Context(), client.ObjectKeyFromObject(c), c))
	})
}

// TestNamespaceDeletedAtOnce deletes a namespace with everything in it, while AWS deletes slowly.
func TestNamespaceDeletedAtOnce(t *testing.T) {
	t.Parallel()
	r := newStrictEnv(t)
	c := r.pc("aws", roles(v1beta1.AssumeRoleOptions{RoleARN: ptr.To(hub)}))
	r.create(r.keys("aws", ciID, ciKey), c)
	functions := []*v1beta1.Function{}
	for _, name := range []string{"f", "g", "h"} {
		f := r.using("aws", name,
			func(f *v1beta1.Function) { f.Spec.ForProvider.Role = ptr.To("arn:aws:iam::111111111111:role/r") })
		r.create(f)
		functions = append(functions, f)
	}
	for _, f := range functions {
		r.ready(f)
	}
	r.double.Fail(awsdouble.Fault{Operation: "DeleteFunction", Error: awsdouble.ServiceFailure(), Times: 6})
	// The provider's cache cannot help: it has to read the Secret again.
	r.stop()
	r.start()
	r.removeNamespace()
	left, err := r.inAccount("111111111111").ListFunctions(t.Context(), &lambda.ListFunctionsInput{})
	if err != nil || len(left.Functions) > 0 {
		t.Errorf("nothing must be left in AWS, got %d functions, %v", len(left.Functions), err)
	}
	for _, c := range r.double.Calls() {
		if strings.Contains(c.ErrorCode, "Token") || strings.Contains(c.ErrorCode, "Client") ||
			strings.Contains(c.ErrorCode, "Signature") {
			t.Errorf("%s was called without credentials: %s", c.Operation, c.ErrorCode)
		}
	}
}

// TestSecretDeletedBeforeItsNamespace checks that a Secret that is deleted before its namespace exists while a
// resource needs it.
func TestSecretDeletedBeforeItsNamespace(t *testing.T) {
	r := newStrictEnv(t)
	c, s, f := r.pc("aws"), r.keys("aws", ciID, ciKey), r.using("aws", "f")
	r.create(s, c, f)
	r.ready(f)
	r.until("the config shows its user", func() bool {
		return r.kube.Get(t.Context(), client.ObjectKeyFromObject(c), c) == nil && c.Status.Users == 1
	})
	if err := r.kube.Delete(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	r.until("an event tells of it", func() bool { return strings.Contains(r.events("aws"), "DeletionBlocked") })
	r.edit(f, func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = ptr.To[int32](256) })
	r.ready(f)
	if err := r.kube.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.ns}}); err != nil {
		t.Fatal(err)
	}
	r.until("the namespace is gone", func() bool {
		return kerrors.IsNotFound(r.kube.Get(t.Context(), client.ObjectKey{Name: r.ns}, &corev1.Namespace{}))
	})
	if n := r.double.Count("DeleteFunction"); n != 1 {
		t.Errorf("%d functions were deleted, want 1", n)
	}
}

// TestSecretGoneFromItsNamespace covers a Secret that is gone nevertheless: the message says what still works, and it
// does.
func TestSecretGoneFromItsNamespace(t *testing.T) {
	r := newStrictEnv(t)
	c, s, kept, moved := r.pc("aws"), r.keys("aws", ciID, ciKey), r.using("aws", "kept"), r.using("aws", "moved")
	r.create(s, c, kept, moved)
	r.ready(kept)
	r.ready(moved)
	if err := r.kube.Delete(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	r.until("the Secret is gone", func() bool {
		err := r.kube.Get(t.Context(), client.ObjectKeyFromObject(s), s)
		if err == nil && len(s.Finalizers) > 0 {
			s.Finalizers = nil
			_ = r.kube.Update(t.Context(), s)
		}
		return kerrors.IsNotFound(err)
	})
	if err := r.kube.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.ns}}); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*v1beta1.Function{kept, moved} {
		r.untilCondition(f, xpv2.TypeSynced, "Secret "+r.ns+"/aws does not exist",
			"set spec.providerConfigRef to a working config, or spec.managementPolicies to [Observe]")
	}
	home := r.keys("aws", ciID, ciKey)
	home.SetNamespace(suite.Cluster(t).Namespace(t))
	all := &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: r.ns}}
	all.Spec.Credentials.Source = v1beta1.CredentialsSourceSecret
	all.Spec.Credentials.SecretRef = &v1beta1.CredentialsSecretSelector{
		Namespace:                      home.Namespace,
		LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{Name: "aws"},
	}
	all.Spec.Endpoint = c.Spec.Endpoint
	r.create(home, all)
	r.edit(moved, func(f *v1beta1.Function) {
		f.Spec.ProviderConfigReference = &xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: r.ns}
	})
	r.edit(kept, func(f *v1beta1.Function) {
		f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
	})
	r.until("the namespace is gone", func() bool {
		return kerrors.IsNotFound(r.kube.Get(t.Context(), client.ObjectKey{Name: r.ns}, &corev1.Namespace{}))
	})
	if n := r.double.Count("DeleteFunction"); n != 1 {
		t.Errorf("%d functions were deleted, want the one that has another config", n)
	}
}

// TestConfigThatBeginsToWork checks that the resources of a config are reconciled as soon as it works.
func TestConfigThatBeginsToWork(t *testing.T) {
	r := newStrictEnv(t)
	c, f := r.pc("aws"), r.using("aws", "f")
	s := r.keys("aws", ciID, "wrong")
	r.create(s, c, f)
	r.untilCondition(f, xpv2.TypeSynced, "the signature does not match")
	failures := func() int { return r.double.Count("GetCallerIdentity") }
	r.until("it has failed for a while", func() bool { return failures() >= 3 })
	if err := r.kube.Get(t.Context(), client.ObjectKeyFromObject(s), s); err != nil {
		t.Fatal(err)
	}
	s.StringData = map[string]string{"aws_secret_access_key": ciKey}
	if err := r.kube.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r.ready(f)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s until the function was created", took)
	}
}
