// This module only pins the Kyverno release whose CustomResourceDefinitions the tests install. It builds nothing:
// Kyverno's own dependencies are newer than those of the tests.
module github.com/crossplane-contrib/provider-lambda/cluster/e2e/samples/testdata/kyverno

go 1.26.2

require github.com/kyverno/api v0.0.1-alpha.3.0.20260723090831-fb2785727f98
