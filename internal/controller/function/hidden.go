package function

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// cannotRead stands for a value that AWS has but does not return.
const cannotRead = "(cannot be read)"

// hide adds the settings that AWS does not return to the plan. They can't be compared: they
// count as different if they still have to be sent, and as equal otherwise. wanted are the
// settings of spec, including initProvider, because changes by other tools can't be read.
func hide(p *plan, wanted settings, r *record) {
	c := p.resource.config()
	p.fingerprints = fingerprints(wanted, p.Target.KMSKeyArn)
	if versions.Unreadable(c) != "" {
		p.Target.Environment, p.Observed.Environment = wanted.Environment, wanted.Environment
		if r.mustSend(environmentPath, p.fingerprints[environmentPath]) {
			p.Observed.Environment = environment{Variables: map[string]diff.Secret{cannotRead: {}}}
		}
	} else if r.sent[environmentPath] == "" { // What AWS has is seen.
		delete(r.sent, environmentPath)
	}
	if i := c.ImageConfigResponse; i != nil && i.Error != nil {
		p.Target.ImageConfig = plainImage(wanted.ImageConfig)
		p.Observed.ImageConfig = p.Target.ImageConfig
		if r.mustSend(imageConfigPath, p.fingerprints[imageConfigPath]) {
			p.Observed.ImageConfig = &v1beta1.ImageConfig{Command: []string{cannotRead}}
		}
	}
	// AWS keeps no key for a function without variables, or does not return it.
	if p.Observed.KMSKeyArn == nil && p.Target.KMSKeyArn != nil && len(p.Target.Environment.Variables) == 0 &&
		!r.mustSend(kmsKeyArnPath, p.fingerprints[kmsKeyArnPath]) {
		p.Target.KMSKeyArn = nil
	}
}

// fingerprints returns the fingerprints of the settings that AWS may not return. They are
// kept in memory only, because variables are secret.
func fingerprints(s settings, kmsKeyArn *string) map[string]string {
	key, variables := ptr.Deref(kmsKeyArn, ""), diff.Reveal(s.Environment.Variables)
	env := []string{key}
	for _, k := range slices.Sorted(maps.Keys(variables)) {
		env = append(env, k, variables[k])
	}
	out := map[string]string{environmentPath: hash(env), kmsKeyArnPath: hash([]string{key}), imageConfigPath: hash()}
	if i := plainImage(s.ImageConfig); i != nil {
		out[imageConfigPath] = hash(i.Command, i.EntryPoint, []string{ptr.Deref(i.WorkingDirectory, "")})
	}
	return out
}

func hash(lists ...[]string) string {
	h := sha256.New()
	for _, l := range lists {
		_, _ = fmt.Fprintf(h, "%q ", l) // A hash cannot fail.
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sent returns the fingerprints of the settings that a call has sent to AWS.
func (p plan) sent(c call) map[string]string {
	if c == opCreate {
		return p.fingerprints
	}
	out := map[string]string{}
	if c != opUpdateConfiguration {
		return out
	}
	for path, fingerprint := range p.fingerprints {
		if p.Changes.Any(path) || path == environmentPath && encryptsAgain(p.Target, p.Changes) {
			out[path] = fingerprint
		}
	}
	return out
}
