package layerversion

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
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

// unused returns the old versions that no function uses. It returns none while that is not
// known or is not to be checked yet; the usage has the reason.
func (e *external) unused(ctx context.Context, mg metav1.Object, layer string, old []int64) ([]int64, usage, error) {
	u, now := e.usages.get(mg), e.facts.Now()
	same := slices.Equal(u.checked, old)
	if u.done && same && !meta.WasDeleted(mg) && now.Sub(u.last) < u.pause {
		return nil, u, nil
	}
	if now.Sub(u.last) >= usageAge || !subset(old, u.checked) {
		pause := u.pause
		if !same {
			pause = 0
		}
		u = usage{began: now, used: map[int64]bool{}, pause: pause}
	}
	u.checked = old
	if err := e.survey(ctx, mg, layer, &u); err != nil {
		return nil, u, err
	}
	free := slices.DeleteFunc(slices.Clone(old), func(n int64) bool { return u.problem != "" || u.used[n] })
	if len(free) > 0 {
		u.pause = 0
	} else {
		u.pause = min(max(2*u.pause, firstCheck), mostCheck) //nolint:mnd // It doubles.
	}
	e.usages.store(mg, u)
	return free, u, nil
}

// survey reads the layers of all functions and their versions. If the quota allows no further page, it returns a
// LaterError, and the next reconcile continues from there.
func (e *external) survey(ctx context.Context, mg metav1.Object, layer string, u *usage) error {
	now := e.facts.Now()
	for !u.done {
		if err := e.facts.Reserve(opFunctions); err != nil {
			e.usages.store(mg, *u)
			return err
		}
		if u.pages == mostPages || now.Sub(u.began) > longestSurvey {
			u.done, u.last = true, now
			u.problem = fmt.Sprintf("the list has more than %d pages, or reading it takes more than %s", mostPages,
				longestSurvey)
			return nil
		}
		page, err := e.api.ListFunctions(ctx,
			&lambda.ListFunctionsInput{FunctionVersion: lambdatypes.FunctionVersionAll, Marker: u.marker})
		if awserr.IsAccessDenied(err) || awserr.IsUnsupported(err) || awserr.IsNotFound(err) {
			u.done, u.last, u.problem = true, now, awserr.Sanitize(err).Error()
			return nil
		}
		if err != nil {
			e.usages.store(mg, *u)
			return errors.Wrapf(awserr.Sanitize(err),
				"cannot list functions to check which versions of layer %s they use", layer)
		}
		for i := range page.Functions {
			for _, l := range page.Functions[i].Layers {
				if n, ok := numberOf(ptr.Deref(l.Arn, ""), layer); ok {
					u.used[n] = true
				}
			}
		}
		u.marker, u.last = page.NextMarker, now
		u.pages++
		u.done = ptr.Deref(u.marker, "") == ""
	}
	return nil
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
