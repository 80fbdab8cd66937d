package manager

import (
	"context"
	"fmt"
	"regexp"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/kube"
)

// legalID matches what AWS accepts as the value of a tag, but for its length, which is at most maxID.
var legalID = regexp.MustCompile(`^[A-Za-z0-9 _.:/=+\-@]+$`)

const maxID = 256

// clusterID returns the given ID, or the ID of the cluster if it is empty.
func clusterID(ctx context.Context, live client.Reader, given string) (string, error) {
	if given == "" {
		return kube.ClusterID(ctx, live)
	}
	if len(given) > maxID || !legalID.MatchString(given) {
		return "", fmt.Errorf("--cluster-id %q cannot be the value of an AWS tag: use letters, digits, spaces and "+
			"_.:/=+-@, at most %d", given, maxID)
	}
	return given, nil
}
