package layerversion

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// usageAge is the maximum age of the last page of a list of used layers by which a version is deleted, or to which
	// further pages are added.
	usageAge = time.Minute

	// mostPages and longestSurvey bound one reading of the list, whose pages have 50 functions or versions.
	mostPages     = 2000
	longestSurvey = time.Hour

	// firstCheck is the delay before versions that are in use are checked again. It doubles
	// with each check that finds all of them in use, up to mostCheck.
	firstCheck = time.Minute
	mostCheck  = 24 * time.Hour
)

// usages records, for each resource, which versions of its layer functions use. It is safe for concurrent use.
type usages struct {
	mu      sync.Mutex
	entries map[types.UID]usage
}

// usage is the result of listing the functions of the account that use a layer.
type usage struct {
	// began and last are the times at which the first and the last page were read, pages is their number. marker is the
	// start of the next page, nil after the last one.
	began, last time.Time
	pages       int
	marker      *string
	done        bool

	// used has the versions that functions use.
	used map[int64]bool

	// checked has the versions that were checked. pause is the time for which they are not checked again, because all
	// were in use or AWS did not allow the check.
	checked []int64
	pause   time.Duration

	// problem is the reason why AWS did not allow the check. It is empty if it did.
	problem string
}

func newUsages() *usages { return &usages{entries: map[types.UID]usage{}} }

func (u *usages) get(mg metav1.Object) usage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.entries[mg.GetUID()]
}

func (u *usages) store(mg metav1.Object, e usage) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.entries, func(_ types.UID, old usage) bool { return e.began.Sub(old.began) > 2*mostCheck })
	u.entries[mg.GetUID()] = e
}

// drop removes what is kept of the resource with this UID, which is gone or has nothing to delete.
func (u *usages) drop(uid types.UID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.entries, uid)
}

// subset reports whether all versions were checked. A version that was current then and is
// old now may have come into use since.
func subset(of, checked []int64) bool {
	return !slices.ContainsFunc(of, func(n int64) bool { return !slices.Contains(checked, n) })
}

// numberOf returns the number of the version that an ARN names, if it belongs to the layer.
func numberOf(arn, layer string) (int64, bool) {
	v, err := versionOf(arn)
	return v.number, err == nil && v.layer == layer
}

// message returns why the old versions still exist.
func (e usage) message() string {
	switch {
	case e.problem != "":
		return "old versions are kept, because AWS does not return which of them functions use: " + e.problem
	case len(e.checked) == 0 || !e.done:
		return ""
	}
	return fmt.Sprintf("functions still use the old version%s %s", plural(e.checked), list(e.checked))
}

func plural(n []int64) string {
	if len(n) == 1 {
		return ""
	}
	return "s"
}

func list(numbers []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}
