package importer

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	ktypes "k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// refField is the field that errors about the config of a resource name, instead of which the command has a flag.
const refField = "spec.providerConfigRef"

// clusterTimeout limits how long an import waits for a cluster that it can do without.
const clusterTimeout = 5 * time.Second

// options are the flags of the command.
type options struct {
	*kubectl.Factory

	aws         awsconfig.Flags
	region      string
	selectors   []string
	config      string
	clusterID   string
	output      string
	inline      bool
	adopt       bool
	showSecrets bool
}

// input returns what the flags ask for.
func (o *options) input(ctx context.Context, names []string) (Options, error) {
	in := Options{
		Names: names, Inline: o.inline, Adopt: o.adopt,
		Now: o.Now, Progress: newProgress(o.ErrOut, o.Now),
	}
	var err error
	if in.Scheme, err = kubectl.NewScheme(); err != nil {
		return in, err
	}
	in.Namespace, _ = o.Factory.Namespace() // Without a kubeconfig, it is the default one.
	if in.Selector, err = ParseSelector(o.selectors); err != nil {
		return in, err
	}
	if in.Config, err = parseConfig(o.config); err != nil {
		return in, err
	}
	if in.ClusterID, in.Manager, err = o.manager(ctx, in.Scheme); err != nil {
		return in, err
	}
	in.Session, err = o.session(ctx, in.Scheme, in.Namespace, in.Config)
	return in, err
}

// session returns the session to read AWS with, by the credentials of this machine or through a config in the cluster.
// With both, the config need not exist yet.
func (o *options) session(
	ctx context.Context, scheme *runtime.Scheme, namespace string, ref *xpv2.ProviderConfigReference,
) (*session.Session, error) {
	if ref != nil {
		s, err := o.through(ctx, scheme, namespace, ref)
		if err == nil {
			return s, nil
		}
		if text := err.Error(); strings.Contains(text, refField) {
			err = errors.New(strings.ReplaceAll(text, refField, "--provider-config"))
		}
		if !o.aws.Chosen() {
			return nil, errors.Wrapf(err, "--provider-config %s", o.config)
		}
		o.warnf("cannot tell which account and tags %s %s has: %s", ref.Kind, ref.Name, err)
	}
	return o.aws.Session(ctx, o.region, o.Now)
}

// through returns the session of a config in the cluster.
func (o *options) through(
	ctx context.Context, scheme *runtime.Scheme, namespace string, ref *xpv2.ProviderConfigReference,
) (*session.Session, error) {
	c, err := o.ClusterClient(scheme)
	if err != nil {
		return nil, err
	}
	mg := &v1beta1.Function{}
	mg.SetNamespace(namespace)
	mg.SetProviderConfigReference(ref)
	return o.aws.Resolver(c, o.Now, o.ErrOut).Resolve(ctx, mg, o.region)
}

// warnf warns the user.
func (o *options) warnf(format string, args ...any) {
	_, _ = fmt.Fprintln(o.ErrOut, "warning: "+kubectl.OneLine(fmt.Sprintf(format, args...)))
}

// manager returns the ID of the cluster, and a function that finds its resource that manages what has tags. An
// import needs no cluster: without one, nothing is found, and the ID is that of the flag. Without the right to read the
// ID, a resource is recognized by its UID alone.
func (o *options) manager(
	ctx context.Context, scheme *runtime.Scheme,
) (clusterID string, find func(context.Context, map[string]string) string, err error) {
	none := func(context.Context, map[string]string) string { return "" }
	c, err := o.ClusterClient(scheme)
	if err != nil {
		return o.clusterID, none, nil
	}
	id := o.clusterID
	if id == "" {
		short, cancel := context.WithTimeout(ctx, clusterTimeout)
		defer cancel()
		id, err = kubectl.ClusterID(short, c)
		if kerrors.IsForbidden(err) {
			o.warnf("functions may be managed by this cluster already: %s", err)
		} else if err != nil {
			return "", none, ctx.Err()
		}
	}
	return id, func(ctx context.Context, tags map[string]string) string {
		name := ktypes.NamespacedName{Namespace: tags[ownership.TagNamespace], Name: tags[ownership.TagName]}
		fn := &v1beta1.Function{}
		if c.Get(ctx, name, fn) != nil {
			return ""
		}
		same := id != "" && tags[ownership.TagCluster] == id
		if !same && tags[ownership.TagUID] != string(fn.GetUID()) {
			return ""
		}
		return name.String()
	}, nil
}

// parseConfig parses the name of a ClusterProviderConfig, or the kind and the name of a config. It returns nil if it is
// empty.
func parseConfig(text string) (*xpv2.ProviderConfigReference, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // Objects without a reference use the default.
	}
	kind, name, ok := strings.Cut(text, "/")
	if !ok {
		kind, name = v1beta1.ClusterProviderConfigKind, text
	}
	for _, k := range []string{v1beta1.ClusterProviderConfigKind, v1beta1.ProviderConfigKind} {
		if strings.EqualFold(k, kind) && name != "" {
			return &xpv2.ProviderConfigReference{Kind: k, Name: name}, nil
		}
	}
	return nil, fmt.Errorf("invalid provider config %q: use the name of a ClusterProviderConfig, or "+
		"ProviderConfig/NAME", text)
}

// lineEvery is the least time between two lines about a phase.
const lineEvery = 10 * time.Second

// newProgress returns a function that shows the progress of an import: a line when a phase begins, when it ends, and
// now and then in between. An error of the terminal is of no interest.
func newProgress(w io.Writer, now func() time.Time) func(phase Phase, done, total int) {
	var shown time.Time
	var last Phase
	return func(phase Phase, done, total int) {
		at := now()
		if total == 0 || phase == last && done < total && at.Sub(shown) < lineEvery {
			return
		}
		shown, last = at, phase
		_, _ = fmt.Fprintf(w, "%s: %d of %d\n", phase, done, total)
	}
}
