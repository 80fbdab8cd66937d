package invocation

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"sync"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// maxFingerprints is the maximum number of cached fingerprints, each some hundred bytes.
const maxFingerprints = 10_000

// fingerprints caches the last fingerprint of each resource by its UID: the slow hash of a Secret's content costs tens
// of milliseconds of processor time, which each reconcile would spend. The input is kept as an HMAC with a key that
// only this process knows. It is safe for concurrent use.
type fingerprints struct {
	key []byte

	mu   sync.Mutex
	last map[string]fingerprinted
}

type fingerprinted struct {
	of  [sha256.Size]byte
	sum string
}

func newFingerprints() *fingerprints {
	f := &fingerprints{key: make([]byte, sha256.Size), last: map[string]fingerprinted{}}
	_, _ = rand.Read(f.key) // It never fails.
	return f
}

// fingerprint returns the result of the function of the same name, from the cache if the input is unchanged.
func (f *fingerprints) fingerprint(uid string, p v1beta1.InvocationParameters, e event) (string, error) {
	if f == nil || !e.secret {
		return fingerprint(uid, p, e)
	}
	b, err := identifying(p, e)
	if err != nil {
		return "", err
	}
	h := hmac.New(sha256.New, f.key)
	_, _ = h.Write(b) // A hash cannot fail.
	of := [sha256.Size]byte(h.Sum(nil))
	f.mu.Lock()
	known, ok := f.last[uid]
	f.mu.Unlock()
	if ok && known.of == of {
		return known.sum, nil
	}
	sum, err := fingerprint(uid, p, e)
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.last) >= maxFingerprints {
		clear(f.last)
	}
	f.last[uid] = fingerprinted{of: of, sum: sum}
	return sum, nil
}
