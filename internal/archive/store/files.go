package store

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/unpack"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// workTimeout is the time for which one file is worked on.
const workTimeout = 10 * time.Minute

// A File is a file of a Store. It is valid until it is released.
type File struct {
	*os.File

	files  *files
	size   int64
	sha256 string

	// done is closed once the file is there, or err.
	done chan struct{}
	err  error

	key string

	// users is the number of those who have not released it. at is its place in the order of use, nil once it is
	// dropped.
	users int
	at    *list.Element
}

// Size returns the number of bytes.
func (f *File) Size() int64 { return f.size }

// SHA256 returns the hash in the form of AWS's CodeSha256.
func (f *File) SHA256() string { return f.sha256 }

// Release ends a use of the file.
func (f *File) Release() {
	f.files.mu.Lock()
	defer f.files.mu.Unlock()
	f.users--
	f.files.closeUnused(f)
}

// A writer writes the content of a file.
type writer func(ctx context.Context, w io.Writer) error

// files are temporary files by their keys, which begin with the namespace. If there is no room, the namespace that
// takes most of it loses those that were used least recently.
type files struct {
	dir string
	max int64

	mu    sync.Mutex
	byKey map[string]*File
	// order has the files by their last use, the latest first.
	order list.List
	// room has the bytes that the files of a namespace take, and total those of all.
	room  map[string]int64
	total int64
	// failed are the last files that could not be made, whose errors may not have been told.
	failed []*File
}

// maxFailed is the number of errors that are kept for those who ask again. Nobody may: a source may have a newer
// artifact.
const maxFailed = 1000

// maxFiles is the number of files that are kept, because each is open, however small: see files.take.
const maxFiles = 5000

func newFiles(dir string, maxBytes int64) *files {
	return &files{dir: dir, max: maxBytes, byKey: map[string]*File{}, room: map[string]int64{}}
}

// errUnfinished is the error of a file that is not there when the context of the one who asks is done.
var errUnfinished = errors.New("the code was not downloaded in time")

// get returns the file of a key. If there is none, it makes one in the background, whose content a function writes,
// and which is made even if the context is done before. Those who ask for the same key wait for the same file.
func (f *files) get(ctx context.Context, key string, write writer) (*File, error) {
	f.mu.Lock()
	file, ok := f.byKey[key]
	if !ok {
		file = &File{files: f, key: key, done: make(chan struct{})}
		f.byKey[key] = file
		go f.fill(context.WithoutCancel(ctx), file, write)
	}
	file.users++
	f.mu.Unlock()
	select {
	case <-file.done:
	case <-ctx.Done():
		file.Release()
		return nil, errUnfinished
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if file.err != nil {
		f.tell(file)
		return nil, file.err
	}
	if file.at != nil {
		f.order.MoveToFront(file.at)
	}
	return file, nil
}

// has reports whether there is a file of a key, is being made, or has an error that is not told.
func (f *files) has(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byKey[key] != nil
}

// fill makes a file. If it cannot be made, the next one who asks gets the error, even if nobody waited for it, and the
// one after that tries again. Only that too many wait is not kept.
func (f *files) fill(ctx context.Context, file *File, write writer) {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	_, err := panics.Guard(func() (struct{}, error) { return struct{}{}, file.fill(ctx, write) })
	f.mu.Lock()
	defer f.mu.Unlock()
	defer close(file.done)
	if file.err = err; err != nil {
		file.close()
		if reconcile.IsLater(err) {
			f.tell(file)
		} else if f.failed = append(f.failed, file); len(f.failed) > maxFailed {
			f.tell(f.failed[0])
			f.failed = f.failed[1:]
		}
		return
	}
	file.at = f.order.PushFront(file)
	f.take(file, 1)
	f.makeRoom()
}

// take adds the room that a file takes, times n: its size, but no less than if maxFiles were kept.
func (f *files) take(file *File, n int64) {
	room := n * max(file.size, f.max/maxFiles)
	f.total += room
	of := namespaceOf(file)
	if f.room[of] += room; f.room[of] == 0 {
		delete(f.room, of)
	}
}

func namespaceOf(file *File) string {
	namespace, _, _ := strings.Cut(file.key, "\n")
	return namespace
}

// makeRoom drops files that nobody uses. The caller holds the lock.
func (f *files) makeRoom() {
	for f.total > f.max {
		var next *File
		for e := f.order.Back(); e != nil; e = e.Prev() {
			file, _ := e.Value.(*File)
			if file.users == 0 && (next == nil || f.room[namespaceOf(file)] > f.room[namespaceOf(next)]) {
				next = file
			}
		}
		if next == nil {
			return
		}
		f.drop(next)
	}
}

// tell forgets a file that could not be made. The caller holds the lock.
func (f *files) tell(file *File) {
	if f.byKey[file.key] == file {
		delete(f.byKey, file.key)
	}
}

// forget releases and forgets a file.
func (f *files) forget(file *File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file.users--
	if file.at != nil {
		f.drop(file)
	}
	f.closeUnused(file)
}

// drop forgets a file. The caller holds the lock.
func (f *files) drop(file *File) {
	f.order.Remove(file.at)
	file.at = nil
	f.take(file, -1)
	delete(f.byKey, file.key)
	f.closeUnused(file)
}

// closeUnused closes a file that is forgotten and that nobody uses any more. The caller holds the lock.
func (f *files) closeUnused(file *File) {
	if file.at == nil && file.users == 0 && f.byKey[file.key] != file {
		file.close()
	}
}

// close closes a file, which is gone then, because it has no name.
func (f *File) close() {
	if f.File != nil {
		_ = f.File.Close() // It was read, or is not needed.
		f.File = nil
	}
}

// fill writes the content of a file that has no name.
func (f *File) fill(ctx context.Context, write writer) error {
	temp, err := unpack.TempFile(f.files.dir)
	if err != nil {
		return err
	}
	f.File = temp
	h := sha256.New()
	if err := write(ctx, io.MultiWriter(tempWriter{temp}, h)); err != nil {
		return err
	}
	f.sha256 = base64.StdEncoding.EncodeToString(h.Sum(nil))
	f.size, err = temp.Seek(0, io.SeekCurrent)
	return unpack.WithoutName(err)
}

// A tempWriter writes to a temporary file.
type tempWriter struct{ to io.Writer }

// Write writes bytes.
func (w tempWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	return n, unpack.WithoutName(err)
}
