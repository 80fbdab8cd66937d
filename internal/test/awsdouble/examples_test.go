package awsdouble

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPutExamples checks that everything that the examples name exists, except for versions of objects, which S3
// assigns.
func TestPutExamples(t *testing.T) {
	s := New(Options{})
	s.PutExamples()
	object := regexp.MustCompile(`(?:s3Bucket|bucket): ([^$\s]\S+)\s+(?:s3Key|key): (\S+)`) // ${...} is a template's.
	queue := regexp.MustCompile(`driftEvents:\s+queueARN: (arn:\S+)`)
	image := regexp.MustCompile(`imageUri: [^/\s]+/([^:\s]+:\S+)`)
	examples, found := os.DirFS("../../../examples"), 0
	err := fs.WalkDir(examples, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		text, err := fs.ReadFile(examples, path)
		for _, m := range object.FindAllStringSubmatch(string(text), -1) {
			found++
			if b := s.buckets[m[1]]; b == nil || b.find(m[2], "") == nil {
				t.Errorf("%s: there is no object %s in bucket %s", path, m[2], m[1])
			}
		}
		for _, m := range image.FindAllStringSubmatch(string(text), -1) {
			found++
			if s.images[m[1]] == "" {
				t.Errorf("%s: there is no image %s", path, m[1])
			}
		}
		for _, m := range queue.FindAllStringSubmatch(string(text), -1) {
			found++
			if !slices.Contains(s.trails, trail{queue: m[1]}) || s.queues[m[1]] == nil {
				t.Errorf("%s: there is no queue %s with the events of CloudTrail", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 9 {
		t.Errorf("only %d objects, images and queues were found in the examples", found)
	}
}
