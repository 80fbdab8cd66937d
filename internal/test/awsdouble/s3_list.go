package awsdouble

import (
	"encoding/xml"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxObjects is the largest number of objects in a page of ListObjectsV2.
const maxObjects = 1000

// objectList is the answer of ListObjectsV2.
type objectList struct {
	XMLName               xml.Name      `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListBucketResult"`
	Name                  string        `xml:"Name"`
	Prefix                string        `xml:"Prefix"`
	StartAfter            string        `xml:"StartAfter,omitempty"`
	KeyCount              int           `xml:"KeyCount"`
	MaxKeys               int           `xml:"MaxKeys"`
	IsTruncated           bool          `xml:"IsTruncated"`
	NextContinuationToken string        `xml:"NextContinuationToken,omitempty"`
	Contents              []objectEntry `xml:"Contents"`
}

type objectEntry struct {
	Key          string `xml:"Key"`
	LastModified string `xml:"LastModified"`
	ETag         string `xml:"ETag"`
	Size         int    `xml:"Size"`
	StorageClass string `xml:"StorageClass"`
}

// listObjects returns the newest version of each object, sorted by key. A continuation token is opaque to clients:
// here it is the last key of the page before.
func listObjects(s *Server, r *request) any {
	b := s.buckets[r.vars["Bucket"]]
	if b == nil {
		panic(noSuchBucket())
	}
	size, err := strconv.Atoi(r.query("max-keys"))
	if err != nil || size > maxObjects || size < 1 {
		size = maxObjects
	}
	out := objectList{
		Name: r.vars["Bucket"], Prefix: r.query("prefix"), StartAfter: r.query("start-after"),
		MaxKeys: size,
	}
	after := max(out.StartAfter, r.query("continuation-token"))
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		o := b.find(key, "")
		if o == nil || key <= after || !strings.HasPrefix(key, out.Prefix) {
			continue
		}
		if len(out.Contents) == size {
			out.IsTruncated, out.NextContinuationToken = true, out.Contents[size-1].Key
			break
		}
		out.Contents = append(out.Contents, objectEntry{
			Key: key, LastModified: o.modified.UTC().Format(time.RFC3339), ETag: o.etag, Size: len(o.data),
			StorageClass: "STANDARD",
		})
	}
	out.KeyCount = len(out.Contents)
	return out
}
