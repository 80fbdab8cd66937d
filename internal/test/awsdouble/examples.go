package awsdouble

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"strings"
)

// PutExamples stores what the manifests in examples/ reference in AWS: code archives in S3, an image in ECR, and a
// queue that receives the events of CloudTrail. The archives have every handler of index that a function names.
func (s *Server) PutExamples() {
	archive := Zip(map[string]string{
		"index.mjs": "export const handler = async () => \"Hello from S3\";\n",
		"index.py":  "def handler(event, context):\n    return \"Hello from S3\"\n",
	})
	for _, o := range [][2]string{
		{"my-code", "app.zip"},
		{"my-code", "prices.zip"},
		{"my-signed-code", "prices.zip"},
		{"my-layers", "pandas.zip"},
	} {
		s.PutObject(o[0], o[1], archive)
	}
	s.PutImage("hello", "v1", "sha256:"+strings.Repeat("0", 63)+"1")
	const driftQueue = "arn:aws:sqs:eu-central-1:" + DefaultAccount + ":lambda-drift"
	s.AddQueue(driftQueue)
	s.Trail(driftQueue, 0)
}

// Zip returns an archive of files, by their names.
func Zip(files map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if w, err := z.Create(name); err == nil { // In memory, nothing fails.
			_, _ = w.Write([]byte(files[name]))
		}
	}
	_ = z.Close()
	return b.Bytes()
}
