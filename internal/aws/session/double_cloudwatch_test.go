package session

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestDoubleCloudWatch reads as many data points and alarms of CloudWatch as the provider does in one call, with the
// credentials and the limits of a session.
func TestDoubleCloudWatch(t *testing.T) {
	b := newDoubleEnv(t, namespaced(chained), secret(ns, "aws", map[string]string{"creds": ini}))
	s, err := b.Resolve(t.Context(), function("ProviderConfig", "default"), region)
	if err != nil {
		t.Fatal(err)
	}
	s.AWS.BaseEndpoint = aws.String(b.double.URL())
	const account, queries, minutes = "222222222222", 500, 160
	end := b.now().Truncate(time.Minute)
	begin := end.Add(-minutes * time.Minute)
	in := &cloudwatch.GetMetricDataInput{StartTime: &begin, EndTime: &end}
	for i := range queries {
		name := fmt.Sprintf("metric-with-a-name-of-some-length-%d", i)
		for m := range minutes {
			b.double.PutMetric(awsdouble.Metric{Account: account, Region: region, Namespace: "Shop", Name: name},
				begin.Add(time.Duration(m)*time.Minute), 1.5)
		}
		in.MetricDataQueries = append(in.MetricDataQueries, types.MetricDataQuery{
			Id: aws.String(fmt.Sprintf("q%d", i)),
			MetricStat: &types.MetricStat{
				Metric: &types.Metric{Namespace: aws.String("Shop"), MetricName: &name},
				Period: aws.Int32(60), Stat: aws.String("Sum"),
			},
		})
	}
	b.double.PutAlarm(account, region, awsdouble.Alarm{Name: "errors", State: "OK"})
	c := Client(s, cloudwatch.NewFromConfig)
	out, err := c.GetMetricData(t.Context(), in)
	if err != nil || len(out.MetricDataResults) != queries || len(out.MetricDataResults[queries-1].Values) != minutes ||
		out.NextToken != nil {
		t.Fatalf("GetMetricData: %v", err)
	}
	alarms, err := c.DescribeAlarms(t.Context(), &cloudwatch.DescribeAlarmsInput{})
	if err != nil || len(alarms.MetricAlarms) != 1 {
		t.Errorf("DescribeAlarms: %+v, %v", alarms, err)
	}
	for _, call := range b.double.Calls() {
		if call.Service == "monitoring" && (call.Account != account || call.Region != region ||
			call.Caller != "arn:aws:sts::222222222222:assumed-role/two/provider-lambda") {
			t.Errorf("CloudWatch was called by %s in %s %s", call.Caller, call.Account, call.Region)
		}
	}
	if Client(s, cloudwatch.NewFromConfig) != c {
		t.Error("a session has one client")
	}
}
