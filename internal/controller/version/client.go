package version

import "github.com/crossplane-contrib/provider-lambda/internal/controller/versions"

// The AWS operations that this kind calls.
const (
	opGet     = "GetFunction"
	opList    = versions.CallList
	opPublish = "PublishVersion"
	opDelete  = versions.CallDelete
)
