package awsdouble

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
)

// PutExamples stores what the manifests in examples/ reference in AWS: code archives in S3, and an image in ECR. The
// archives have every handler of index that a function names.
func (s *Server) PutExamples() error {
	archive, err := exampleCode()
	if err != nil {
		return fmt.Errorf("cannot make the code of the examples: %w", err)
	}
	for _, o := range [][2]string{
		{"my-code", "app.zip"},
		{"my-code", "prices.zip"},
		{"my-signed-code", "prices.zip"},
		{"my-layers", "pandas.zip"},
	} {
		s.PutObject(o[0], o[1], archive)
	}
	s.PutImage("hello", "v1", "sha256:"+strings.Repeat("0", 63)+"1")
	return nil
}

func exampleCode() ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range [][2]string{
		{"index.mjs", "export const handler = async () => \"Hello from S3\";\n"},
		{"index.py", "def handler(event, context):\n    return \"Hello from S3\"\n"},
	} {
		w, err := z.Create(f[0])
		if err != nil {
			return nil, err
		}
		if _, err := w.Write([]byte(f[1])); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
