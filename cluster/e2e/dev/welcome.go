package main

import (
	"context"
	"fmt"
)

// region of the examples.
const region = "eu-central-1"

// welcome prints commands for a user to copy.
func (e *env) welcome(ctx context.Context) error {
	keys, err := e.platform.Double.Config(region).Credentials.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("cannot find credentials for the double of AWS: %w", err)
	}
	e.sectionf("Next steps, in another terminal")
	e.printf(`    export KUBECONFIG=%s
    export PATH=%s:$PATH   # Crossplane's CLI
    kubectl get provider.pkg,function.pkg,mrd

    kubectl apply -f examples/app/shop.yaml
    kubectl get managed
    kubectl describe lambdafn shop

    kubectl apply -f examples/composition/web-endpoint/definition.yaml \
        -f examples/composition/web-endpoint/composition.yaml
    kubectl wait --for=condition=Established xrd/webendpoints.serverless.example.com
    kubectl apply -f examples/composition/web-endpoint/xr.yaml
    crossplane resource trace webendpoint storefront

    export AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s
    export AWS_ENDPOINT_URL=%s
    aws --region %s lambda list-functions

    curl http://%s/metrics   # of the provider`,
		e.file("kubeconfig"), e.platform.Programs, keys.AccessKeyID, keys.SecretAccessKey, e.platform.Double.URL(),
		region, e.platform.Metrics)
	e.printf("\nLogs: %s and %s", e.file(providerLog), e.file(crossplaneLog))
	return nil
}
