// Package store downloads the artifacts of sources, and makes .zip archives of them, once for all resources that deploy
// them.
//
// Both are kept in temporary files without a name, so that a crash leaves none behind, as long as there is room. In
// memory is nothing of them. The work is done in the background: a reconcile waits for it only for a moment, and then
// is repeated. download.go downloads the artifacts of Flux's sources, files.go keeps the files, and slots.go
// decides whose turn it is.
package store

import (
	"context"
	"io"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/unpack"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	// patience is the time for which a reconcile waits for a file.
	patience = 3 * time.Second

	// artifacts, packings and uploads are how many are worked on at a time. With MaxBytes and two files of the size of
	// an archive for each packing, they bound the room that is needed to less than 4 GiB.
	artifacts = 6
	packings  = 2
	uploads   = 2
)

// Options are the options of a Store.
type Options struct {
	// Hosts are the hosts of which artifacts are downloaded.
	Hosts egress.Hosts

	// TempDir is the folder of temporary files. The default is that of the system.
	TempDir string

	// Patience is the time for which a reconcile waits for a file. The default is 3 seconds.
	Patience time.Duration

	// MaxBytes is the number of bytes of files that are kept. The default is 1 GB.
	MaxBytes int64
}

// A Store has the artifacts of sources, and the .zip archives that are made of them. It is safe for concurrent use.
type Store struct {
	o        Options
	download downloader
	files    *files

	working, packing, uploading *slots
}

// An Artifact is the archive of a source.
type Artifact struct {
	// Namespace is the namespace of the source. Namespaces share nothing, because one that only knows the digest of
	// another one's artifact must not get its content.
	Namespace string

	// Digest identifies the content. Two artifacts of a namespace with the same one are the same.
	Digest string

	// Fetch writes the content, and returns an error unless it is complete and has the digest.
	Fetch writer
}

func (a Artifact) key() string { return a.Namespace + "\n" + a.Digest }

// New returns an empty Store.
func New(o Options) *Store {
	if o.Patience == 0 {
		o.Patience = patience
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 30
	}
	return &Store{
		o: o, download: newDownloader(o.Hosts), files: newFiles(o.TempDir, o.MaxBytes),
		working: newSlots(artifacts), packing: newSlots(packings), uploading: newSlots(uploads),
	}
}

// Zip returns the .zip archive for AWS that is at a path in an artifact: see unpack.Zip. The caller releases the file.
// It returns a reconcile.LaterError if that takes longer than a moment. Resources that ask for the same one share one
// download.
func (s *Store) Zip(ctx context.Context, a Artifact, at string) (*File, error) {
	return s.momentarily(ctx, a.key()+"\n"+at, func(ctx context.Context, w io.Writer) error {
		return s.pack(ctx, a, at, w)
	})
}

// pack writes a .zip archive. It has its slot from the download to the end, because the artifact cannot be dropped
// before it is packed: a limit of downloads alone would let artifacts wait for a packing until the disk is full.
func (s *Store) pack(ctx context.Context, a Artifact, at string, w io.Writer) error {
	return s.working.within(ctx, a.Namespace, func() error {
		f, err := s.files.get(ctx, a.key(), timely(a.Fetch))
		if err != nil {
			return err
		}
		defer f.Release()
		return s.packing.within(ctx, a.Namespace, func() error {
			return reconcile.Ambiguous(unpack.Zip(ctx, w, io.NewSectionReader(f, 0, f.Size()), at, s.o.TempDir))
		})
	})
}

// Uploads reports whether something of a namespace is being uploaded, or was, and Upload has not returned that yet.
func (s *Store) Uploads(namespace, key string) bool { return s.files.has(uploadKey(namespace, key)) }

func uploadKey(namespace, key string) string { return namespace + "\nupload\n" + key }

// Upload uploads something of a namespace in the background, once for all in it who ask for the same key meanwhile, and
// returns the version that it has become. It returns a reconcile.LaterError if that takes longer than a moment.
func (s *Store) Upload(
	ctx context.Context, namespace, key string, upload func(ctx context.Context) (version string, err error),
) (version string, err error) {
	f, err := s.momentarily(ctx, uploadKey(namespace, key), func(ctx context.Context, w io.Writer) error {
		return s.uploading.within(ctx, namespace, func() error {
			version, err := upload(ctx)
			if err != nil {
				return err
			}
			_, err = io.WriteString(w, version)
			return err
		})
	})
	if err != nil {
		return "", err
	}
	defer s.files.forget(f)
	b := make([]byte, f.Size())
	_, err = f.ReadAt(b, 0)
	return string(b), unpack.WithoutName(err)
}

// momentarily returns a file if it is there in a moment.
func (s *Store) momentarily(ctx context.Context, key string, write writer) (*File, error) {
	moment, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()
	f, err := s.files.get(moment, key, write)
	if errors.Is(err, errUnfinished) && ctx.Err() == nil {
		return nil, reconcile.WaitFor(retryAfter)
	}
	return f, err
}

// Flux returns the artifact of a Flux source in a namespace, which is downloaded from the URL in the source's status.
// It has to be that of an artifact of the namespace: source-controller has those of all, and serves the provider any.
func (s *Store) Flux(namespace string, a flux.Artifact) Artifact {
	return Artifact{Namespace: namespace, Digest: a.Digest, Fetch: func(ctx context.Context, w io.Writer) error {
		err := stable(s.download.artifact(ctx, namespace, a, w))
		return errors.Wrapf(err, "cannot download the artifact from %s", shown(a.URL))
	}}
}
