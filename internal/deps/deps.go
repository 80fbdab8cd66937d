// Package deps pins the modules until code imports them.
package deps

import (
	_ "github.com/alecthomas/kong"
	_ "github.com/aws/aws-sdk-go-v2/config"
	_ "github.com/aws/aws-sdk-go-v2/credentials"
	_ "github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	_ "github.com/aws/aws-sdk-go-v2/service/lambda"
	_ "github.com/aws/aws-sdk-go-v2/service/s3"
	_ "github.com/aws/aws-sdk-go-v2/service/sts"
	_ "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	_ "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/customresourcesgate"
	_ "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/providerconfig"
	_ "github.com/crossplane/crossplane-runtime/v2/pkg/statemetrics"
	_ "github.com/crossplane/crossplane/apis/v2/core/v2"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/go-cmp/cmp/cmpopts"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "golang.org/x/sync/singleflight"
	_ "golang.org/x/time/rate"
	_ "gopkg.in/ini.v1"
	_ "google.golang.org/grpc"
	_ "k8s.io/client-go/kubernetes"
	_ "sigs.k8s.io/controller-runtime/pkg/envtest"
	_ "sigs.k8s.io/controller-runtime/pkg/manager"
	_ "sigs.k8s.io/yaml"
)
