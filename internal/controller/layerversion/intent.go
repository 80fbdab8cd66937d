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

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// intent describes what a call of PublishLayerVersion is to publish. It is recorded before the call.
type intent struct {
	// UID is the UID of the resource that recorded the intent: a copy of a resource does not inherit it.
	UID string `json:"uid"`

	// Before is the highest version number of the layer at that time. Numbers only grow, so
	// the published version has a higher one.
	Before int64 `json:"before"`

	// At is the time at which the intent was recorded, in seconds since 1970.
	At int64 `json:"at,omitempty"`

	// Settings is a hash of everything but the content and how it is stored, which are StorageMode and Object.
	Settings    string `json:"settings"`
	StorageMode string `json:"storageMode,omitempty"`
	Object      string `json:"object,omitempty"`

	// SHA256 is the hash of the content. It is empty if it is known only after the publication.
	SHA256 string `json:"sha256,omitempty"`

	// Name is the name of the object in S3, or of the artifact, that has the content.
	Name string `json:"name,omitempty"`
}

func newIntent(mg metav1.Object, before int64, s settings, b archive.Bundle) intent {
	i := intent{
		UID: string(mg.GetUID()), Before: before, Settings: s.hash(), SHA256: b.SHA256,
		StorageMode: ptr.Deref(s.StorageMode, ""), Object: s.Object,
	}
	if b.From.S3Key != nil || b.Artifact != nil {
		i.Name = b.Name()
	}
	return i
}

// intentOf returns the intent that the resource itself recorded, if any.
func intentOf(mg metav1.Object) (intent, bool) {
	i := intent{}
	err := json.Unmarshal([]byte(mg.GetAnnotations()[v1beta1.AnnotationIntent]), &i)
	if err != nil || i.UID != string(mg.GetUID()) {
		return intent{}, false
	}
	return i, true
}

func (i intent) annotation() map[string]string {
	b, _ := json.Marshal(i) //nolint:errchkjson // Texts and a number always become JSON.
	return map[string]string{v1beta1.AnnotationIntent: string(b)}
}

// none returns the annotation that clears the intent.
func none() map[string]string { return map[string]string{v1beta1.AnnotationIntent: ""} }

// completed reports whether the external name is that of the version that the intent led to.
func (i intent) completed(arn string) bool {
	v, err := versionOf(arn)
	return err == nil && i.ledTo(v.number)
}

// listed is the maximum time that AWS takes to list a published version.
const listed = 10 * time.Second

// waits returns how long to wait before a version that is not listed counts as not published.
func (i intent) waits(now time.Time) time.Duration {
	left := listed - now.Sub(time.Unix(i.At, 0))
	if i.At == 0 || left <= 0 {
		return 0
	}
	return min(left, reconcile.PendingDelay(listed-left))
}

// ledTo reports whether the intent led to a version with this number.
func (i intent) ledTo(number int64) bool { return i.UID != "" && number > i.Before }

// matches reports whether a version may be the one that was published.
func (i intent) matches(o *lambda.GetLayerVersionOutput) bool {
	return o.Version > i.Before && i.Settings == fromAWS(o).hash() && (i.SHA256 == "" || i.SHA256 == codeSHA256(o))
}

// hash returns a hash of everything but the content and its storage, independent of the order of lists.
func (s settings) hash() string {
	h := sha256.New()
	for _, list := range [][]string{
		s.CompatibleArchitectures, s.CompatibleRuntimes,
		{ptr.Deref(s.Description, "")},
		{ptr.Deref(s.LicenseInfo, "")},
	} {
		quoted := make([]string, 0, len(list))
		for _, v := range slices.Sorted(slices.Values(list)) {
			quoted = append(quoted, strconv.Quote(v))
		}
		h.Write([]byte(strings.Join(quoted, ",") + ";"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
