package layerversion

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/bundle"
	"github.com/crossplane-contrib/provider-lambda/internal/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
)

// intent is what was to be published by the last call of PublishLayerVersion, noted
// before it.
type intent struct {
	// UID of the resource that noted it: a copy of a resource does not inherit it.
	UID string `json:"uid"`

	// Before is the highest number that a version of the layer had then. Numbers only
	// grow, so that what was published has a higher one.
	Before int64 `json:"before"`

	// At is when it was noted, in seconds since 1970.
	At int64 `json:"at,omitempty"`

	// Settings are a hash of all but the content.
	Settings string `json:"settings"`

	// SHA256 of the content, empty where it is known only once AWS has taken it.
	SHA256 string `json:"sha256,omitempty"`

	// Name of an object in S3 that is the content.
	Name string `json:"name,omitempty"`
}

func newIntent(mg metav1.Object, before int64, s settings, b bundle.Bundle) intent {
	i := intent{UID: string(mg.GetUID()), Before: before, Settings: s.hash(), SHA256: b.SHA256}
	if b.From.S3Key != nil {
		i.Name = b.Name()
	}
	return i
}

// intentOf is the intent that a resource noted itself, if it noted one.
func intentOf(mg metav1.Object) (intent, bool) {
	i := intent{}
	err := json.Unmarshal([]byte(mg.GetAnnotations()[ownership.AnnotationIntent]), &i)
	if err != nil || i.UID != string(mg.GetUID()) {
		return intent{}, false
	}
	return i, true
}

func (i intent) annotation() map[string]string {
	b, _ := json.Marshal(i) //nolint:errchkjson // Texts and a number always become JSON.
	return map[string]string{ownership.AnnotationIntent: string(b)}
}

// none is the annotation of a resource that is about to publish nothing.
func none() map[string]string { return map[string]string{ownership.AnnotationIntent: ""} }

// settled says that the resource has the name of what the intent led to.
func (i intent) settled(arn string) bool {
	v, err := versionOf(arn)
	return err == nil && i.ledTo(v.number)
}

// listed is how long AWS may take to list what was published.
const listed = 10 * time.Second

// waits is how long to wait before what does not show counts as not published.
func (i intent) waits(now time.Time) time.Duration {
	left := listed - now.Sub(time.Unix(i.At, 0))
	if i.At == 0 || left <= 0 {
		return 0
	}
	return min(left, reconciler.PendingDelay(listed-left))
}

// ledTo says that a version is the one that was published.
func (i intent) ledTo(number int64) bool { return i.UID != "" && number > i.Before }

// fits says that a version may be the one that was published.
func (i intent) fits(o *lambda.GetLayerVersionOutput) bool {
	return o.Version > i.Before && i.Settings == fromAWS(o).hash() && (i.SHA256 == "" || i.SHA256 == codeSHA256(o))
}

// hash of all but the content, whatever the order of lists.
func (s settings) hash() string {
	h := sha256.New()
	for _, list := range [][]string{s.CompatibleArchitectures, s.CompatibleRuntimes, {ptr.Deref(s.Description, "")}, {ptr.Deref(s.LicenseInfo, "")}} {
		quoted := make([]string, 0, len(list))
		for _, v := range slices.Sorted(slices.Values(list)) {
			quoted = append(quoted, strconv.Quote(v))
		}
		h.Write([]byte(strings.Join(quoted, ",") + ";"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
