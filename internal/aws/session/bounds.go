package session

import (
	"cmp"
	"strings"
	"time"
)

const mib = 1 << 20

const (
	// headerBytes is the maximum length of the header of a response. The longest is that of Lambda's
	// Invoke, with 4 KB of logs in base64.
	headerBytes = 64 << 10
	// silence is the time after which a host that neither sends nor receives is given up.
	silence = 10 * time.Second
	// perMiB is the time that the body of a request or of a response may take in addition to a silence for each MiB of
	// it: 4 Mbit/s. A host that sends a byte now and then is given up like a silent one, and code of 25 MiB may take
	// the minute of a reconcile.
	perMiB = 2 * time.Second
	// codeSilence is the same for responses to calls that make AWS fetch, unpack and check code. It is
	// less than a reconcile may take.
	codeSilence = 45 * time.Second
)

// A bound limits the response of an operation.
type bound struct {
	// bytes is the length of the body, decompressed.
	bytes int64
	// wait is the maximum time between the request and the first byte of the response. A negative one means no limit
	// but that of the caller's context.
	wait time.Duration
	// values is the number of values that it may have, 0 for the usual one.
	values int
}

// usualValues is several times what the longest page of a list has: 50 functions with variables of 4 KB.
const usualValues = 100_000

// most returns how many values the body may have.
func (b bound) most() int { return cmp.Or(b.values, usualValues) }

// bounds has the operations whose responses may be long or late. The limits are several times those
// of AWS, because JSON escapes strings. All other operations have usual.
var bounds = map[string]bound{
	// A payload of 6 MB. The function may run for 15 minutes: Invocations have their own
	// limit, which is that of a reconcile.
	"Lambda Invoke": {bytes: 16 * mib, wait: -1},

	// Pages have 50 items, or 100 mappings, of which the largest are some 20 KB: variables of 4 KB, filters of as much.
	"Lambda ListFunctions":           {bytes: 4 * mib, wait: silence},
	"Lambda ListVersionsByFunction":  {bytes: 4 * mib, wait: silence},
	"Lambda ListEventSourceMappings": {bytes: 8 * mib, wait: silence},

	"Lambda CreateFunction":      {bytes: mib, wait: codeSilence},
	"Lambda UpdateFunctionCode":  {bytes: mib, wait: codeSilence},
	"Lambda PublishVersion":      {bytes: mib, wait: codeSilence},
	"Lambda PublishLayerVersion": {bytes: mib, wait: codeSilence},

	// 100,800 data points of 20 bytes and three values, and the names of 500 queries; 100 alarms of 32 KB.
	"CloudWatch GetMetricData":  {bytes: 8 * mib, wait: silence, values: 400_000},
	"CloudWatch DescribeAlarms": {bytes: 8 * mib, wait: silence},

	// A bundle of code. It is hashed while it is read, and not kept in memory.
	"S3 GetObject": {bytes: 512 * mib, wait: silence},

	// Ten messages of 1 MB, in which each quotation mark is escaped. A long poll takes 20 seconds.
	"SQS ReceiveMessage": {bytes: 24 * mib, wait: 20*time.Second + silence},

	// Manifests of 4 MB.
	"ECR BatchGetImage": {bytes: 16 * mib, wait: silence},
}

// usual is the bound of responses that are less than 100 KB: a function with its variables, layers and
// tags, a policy of 20 KB, a page of names, and the errors of all operations.
var usual = bound{bytes: mib, wait: silence}

// boundOf returns the bound of an operation of a service, by the SDK's names for them.
func boundOf(service, operation string) bound {
	if b, ok := bounds[strings.TrimSpace(service+" "+operation)]; ok {
		return b
	}
	return usual
}
