package telemetry

import (
	"archive/zip"
	"bytes"
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
)

func keys(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "AKIAONE", SecretAccessKey: "hunter2"}, nil
}

func zipped(t *testing.T, code string) []byte {
	t.Helper()
	out := &bytes.Buffer{}
	z := zip.NewWriter(out)
	f, err := z.Create("index.py")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(code)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
