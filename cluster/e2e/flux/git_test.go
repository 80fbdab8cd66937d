//go:build flux

package flux

import (
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A repository is a Git repository that a server on loopback serves by Git's own program.
type repository struct {
	*testing.T

	// URL of the repository. folder has its working tree.
	url, folder string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	root := t.TempDir()
	r := &repository{T: t, folder: filepath.Join(root, "tree")}
	must(t, os.Mkdir(r.folder, 0o700))
	r.git("init", "--quiet", "--initial-branch=main")
	path := strings.TrimSpace(r.git("--exec-path"))
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(path, "git-http-backend"), Dir: root,
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"},
	})
	t.Cleanup(server.Close)
	r.url = server.URL + "/tree/.git"
	return r
}

// commit commits files, and returns the revision that Flux gives the commit.
func (r *repository) commit(files map[string]string) string {
	r.Helper()
	for name, content := range files {
		path := filepath.Join(r.folder, name)
		must(r.T, os.MkdirAll(filepath.Dir(path), 0o700))
		must(r.T, os.WriteFile(path, []byte(content), 0o600))
	}
	r.git("add", "--all")
	r.git("-c", "user.name=shop", "-c", "user.email=shop@example.com", "-c", "commit.gpgsign=false", "commit",
		"--quiet", "--message=Change")
	return "main@sha1:" + strings.TrimSpace(r.git("rev-parse", "HEAD"))
}

func (r *repository) git(args ...string) string {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), "git", args...)
	cmd.Dir = r.folder
	out, err := cmd.Output()
	if err != nil {
		r.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}
