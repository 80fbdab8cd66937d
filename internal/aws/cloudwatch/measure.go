package cloudwatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// maxCalls is how many calls of GetMetricData a slot has at most. More are needed only if many
// queries cannot share a call.
const maxCalls = 20

// errCalls is the answer of requests whose call would be one too many.
var errCalls = fmt.Errorf("more than %d calls of CloudWatch are needed at the same time, because queries cannot share them", maxCalls)

// measure returns the answers to requests. It makes as few calls as possible.
func (b *Batcher) measure(ctx context.Context, api API, now time.Time, due map[string]*request) map[string]answer[rollout.Sample] {
	answers := make(map[string]answer[rollout.Sample], len(due))
	var requests []*request
	for key, r := range due {
		if r.windowAt(now).empty() {
			answers[key] = answer[rollout.Sample]{value: noSample()}
			continue
		}
		requests = append(requests, r)
	}
	for i, batch := range pack(now, requests) {
		var of map[string]series
		err := errCalls
		if i < maxCalls {
			of, err = b.read(ctx, api, now, batch)
		}
		batch.judge(err)
		for _, r := range batch.requests {
			if err != nil {
				answers[r.key] = answer[rollout.Sample]{err: batch.explain(err)}
				continue
			}
			answers[r.key] = batch.evaluate(now, r, of)
		}
	}
	return answers
}

// read returns the series of a batch by ID. It makes one call, and one for each further page.
func (b *Batcher) read(ctx context.Context, api API, now time.Time, batch *batch) (map[string]series, error) {
	if !b.samplesPause.over(now) {
		return nil, errPaused
	}
	of := map[string]series{}
	in := &sdk.GetMetricDataInput{StartTime: aws.Time(batch.start()), EndTime: aws.Time(batch.end), MetricDataQueries: batch.queries}
	pages := lambdaapi.Pages{}
	for {
		if err := pages.Next("metric data"); err != nil {
			return nil, err
		}
		out, err := api.GetMetricData(ctx, in)
		b.samplesPause.record(now, err)
		if err != nil {
			return nil, fmt.Errorf("cannot read metrics of CloudWatch: %w", awserr.Clean(err))
		}
		if len(out.Messages) > 0 {
			return nil, errMessage
		}
		seen := map[string]bool{}
		for _, r := range out.MetricDataResults {
			id := aws.ToString(r.Id)
			s := of[id].with(r)
			if seen[id] {
				s.err = errSeveral
			}
			of[id], seen[id] = s, true
		}
		if aws.ToString(out.NextToken) == "" {
			return of, nil
		}
		in.NextToken = out.NextToken
	}
}

// judge notes for the requests of a batch how its call ended.
func (b *batch) judge(err error) {
	for _, r := range b.requests {
		switch {
		case err == nil:
			r.accepted, r.rejections = true, 0
		case awserr.IsInvalidQuery(err):
			r.accepted = false
			r.rejections++
		}
	}
}

// errRejected is the answer of requests that share a rejected call. AWS's message may quote any of
// them.
var errRejected = errors.New("CloudWatch rejects the queries of this metric, or of another one that was read with it")

// explain returns the error of a call for the requests of a batch.
func (b *batch) explain(err error) error {
	if awserr.IsInvalidQuery(err) && len(b.requests) > 1 {
		return errRejected
	}
	return err
}
