// Package apis holds the provider's API types. `make generate` generates from them: deepcopy and reference
// methods, the methods of managed resources and of configs, and CRDs. If the types do not compile, the CRDs are left
// unchanged.
package apis

//go:generate rm -rf ../.cache/crds
//go:generate go tool -modfile=../cluster/tools/go.mod controller-gen object paths=./... crd:crdVersions=v1,allowDangerousTypes=false output:crd:artifacts:config=../.cache/crds
//go:generate go run schemas.go ../.cache/crds
//go:generate rm -rf ../package/crds
//go:generate mv ../.cache/crds ../package/crds
//go:generate go tool -modfile=../cluster/tools/go.mod angryjet generate-methodsets ./...
//go:generate ../cluster/tools/statusmethods.sh
//go:generate go run cmd/gofmt -r "\"github.com/pkg/errors\" -> \"github.com/crossplane/crossplane-runtime/v2/pkg/errors\"" -w v1beta1/zz_generated.resolvers.go
