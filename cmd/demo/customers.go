package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const (
	// orderEvery is the interval between two orders.
	orderEvery = 40 * time.Millisecond

	// metricNamespace and failedMetric are the metric that the shop publishes of each order: 1 if it failed.
	metricNamespace = "Shop"
	failedMetric    = "Failed"
)

// orders are the items that customers order, one after the other.
var orders = []string{"tea", "tea", "coffee"}

// An order is the payload of an invocation.
type order struct {
	Item string `json:"item"`
}

// served counts the orders that a version has received, and those of them that failed.
type served struct{ orders, failed int }

// customers invoke the alias all the time. The double does not run the function's code: script has its outcome for each
// version.
type customers struct {
	e *env

	mu     sync.Mutex
	prices map[string]map[string]int
	served map[string]served

	// leave ends the orders.
	leave func()
}

// invite starts the orders of customers.
func (e *env) invite(ctx context.Context) *customers {
	c := &customers{e: e, prices: map[string]map[string]int{}, served: map[string]served{}}
	e.double.OnInvoke(releaseOf, c.script)
	c.leave = e.background(ctx, func(ctx context.Context) {
		i := 0
		wait.NonSlidingUntilWithContext(ctx, func(ctx context.Context) {
			c.order(ctx, orders[i%len(orders)])
			i++
		}, orderEvery)
	})
	return c
}

// sells sets the prices of a version. Others sell everything.
func (c *customers) sells(version string, prices map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prices[version] = prices
}

// script returns what the code of a version returns: the price of an item, or an error if its list has none.
func (c *customers) script(in awsdouble.Invoked) awsdouble.Returned {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := order{}
	if err := json.Unmarshal(in.Payload, &o); err != nil {
		return awsdouble.Returned{Error: "Unhandled", Payload: []byte(`{"errorMessage":"no order"}`)}
	}
	price := 4
	if prices, ok := c.prices[in.Version]; ok {
		price = prices[o.Item]
	}
	if price == 0 {
		return awsdouble.Returned{
			Error:   "Unhandled",
			Payload: fmt.Appendf(nil, `{"errorType":"KeyError","errorMessage":"'%s'"}`, o.Item),
		}
	}
	return awsdouble.Returned{Payload: fmt.Appendf(nil, `{"price":%d}`, price)}
}

// order invokes the alias, and publishes the outcome as a metric of the version that AWS has chosen.
func (c *customers) order(ctx context.Context, item string) {
	payload, err := json.Marshal(order{Item: item})
	if err != nil {
		return
	}
	out, err := c.e.aws.Invoke(ctx,
		&lambda.InvokeInput{FunctionName: ptr.To(releaseOf), Qualifier: ptr.To(follower), Payload: payload})
	if err != nil {
		return // The demo ends, or its user has deleted the alias.
	}
	version, failed := ptr.Deref(out.ExecutedVersion, ""), 0
	if out.FunctionError != nil {
		failed = 1
	}
	c.mu.Lock()
	s := c.served[version]
	c.served[version] = served{orders: s.orders + 1, failed: s.failed + failed}
	c.mu.Unlock()
	c.e.double.PutMetric(awsdouble.Metric{
		Region: region, Namespace: metricNamespace, Name: failedMetric,
		Dimensions: map[string]string{"FunctionVersion": version}, HighResolution: true,
	}, time.Now(), float64(failed))
}

// of returns the orders of a version.
func (c *customers) of(version string) served {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.served[version]
}
