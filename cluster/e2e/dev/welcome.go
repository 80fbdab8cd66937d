package main

import (
	"context"
	"fmt"
)

// region of the examples.
const region = "eu-central-1"

// welcome prints what a user can do now, to be copied.
func (w *world) welcome(ctx context.Context) error {
	keys, err := w.platform.Double.Config(region).Credentials.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("cannot find credentials for the double of AWS: %w", err)
	}
	w.sectionf("Go on yourself, in another terminal")
	w.printf(`    export KUBECONFIG=%s
    export PATH=%s:$PATH   # Crossplane's CLI
    kubectl get provider.pkg,function.pkg,mrd

    kubectl apply -f examples/app/shop.yaml
    kubectl get managed
    kubectl describe lambdafn shop

    kubectl apply -f examples/composition/web-endpoint/definition.yaml -f examples/composition/web-endpoint/composition.yaml
    kubectl apply -f examples/composition/web-endpoint/xr.yaml   # once the definition is Established
    crossplane resource trace webendpoint storefront

    export AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s
    aws --endpoint-url %s --region %s lambda list-functions

    curl http://%s/metrics   # of the provider`,
		w.file("kubeconfig"), w.platform.Programs, keys.AccessKeyID, keys.SecretAccessKey, w.platform.Double.URL(), region, w.platform.Metrics)
	w.printf("\nLogs: %s and %s", w.file(providerLog), w.file(crossplaneLog))
	return nil
}
