// Package awsdouble is a stateful double of the AWS APIs that the provider calls, served over HTTP on 127.0.0.1 for
// tests, the demo and benchmarks.
//
// Real AWS SDK clients use it through an overridden base endpoint. It keeps state per account and region, responds
// with AWS's codes, messages and sparse shapes, and moves functions through Pending and InProgress by a clock that
// the caller may set.
//
// Options.StrictCredentials makes it authenticate callers, as IAM and STS do: signatures, expiry, trust policies,
// session tags and web identity tokens. The messages of these rejections are those that AWS documents and users
// quote, not observed responses, and policies are reduced to the fields of User and Role: which Lambda operations a
// caller is allowed is not checked.
//
// Resources of other services exist unless AddResources or RemoveResources says otherwise for their kind: security
// groups, subnets, roles, event sources, destinations, and the accounts and IAM entities that permissions are for.
// The messages for a missing subnet or queue are recorded; those for security groups, roles of another account, and
// destinations are quoted by users. It is assumed that an account's own missing roles are rejected like roles that
// Lambda may not assume.
//
// These messages are quoted by users: for incomplete networks, log levels with text logs, SnapStart of other
// runtimes, a handler or a code signing configuration of an image, provisioned concurrency of an alias with weights,
// scaling without a capacity provider, a mapping's destination without a name, and code that is too large with its
// layers (layers of other accounts have no size). The messages for too many tags and for provisioned concurrency of
// $LATEST were observed, but are not in testdata; the message for a creation with code of the other package type is
// that of updates.
//
// The messages for an alias's weights, an alias that exists already or is not found, and a version that is in use,
// are quoted by users; weights are printed as Java prints them. That versions with snapshots begin as Pending, and
// how $LATEST.PUBLISHED is published and deleted, is documented. That aliases are listed by name is an assumption.
//
// Of layers, the responses to a version that does not exist and to a number below 1, and that a list that was not
// sent is left out, are not observed; it is assumed that layers of other accounts exist and may not be read.
//
// Policies of functions follow recorded responses. The rest follows AWS's documentation: conditions, principals,
// limits, and PutResourcePolicy and its related operations; the message for a policy that cannot be parsed is an
// assumption. Services are principals by their domain, without a list of them. It is not recorded that permissions of
// a missing alias are rejected like a read of it, and that its policy is read as one that does not exist. Policies of
// layer versions follow recordings too, except for those of an organization.
//
// Of event source mappings, observed responses cover creation, states, defaults and duplicates of queues, DynamoDB
// streams and self-managed Kafka, and the rejections in testdata. The rest, which is Kinesis, MSK, MQ and DocumentDB,
// changes while a mapping is in transition, and other rejections, follows the SDK's model, the documentation, or what
// users quote; the messages about provisioned mode are the double's own.
//
// Users measured that settings of CORS are kept or replaced as a whole, that an empty block clears them and that
// names of headers are returned in lower case. The messages for provisioned concurrency of $LATEST, for CORS without
// an origin, and for destinations that do not exist or accept no records are quoted by users. How a destination that
// is not set is printed, and the message for a reservation below the provisioned concurrency, are not observed. Other
// messages about provisioned concurrency and asynchronous invocation are assumptions. No recording shows management
// of runtimes: its states are those of the model, and its messages are assumptions. It is also assumed that the
// configurations of a version or an alias are deleted with it. It is documented that an alias whose provisioned
// concurrency moves shows the old version with all calls; how the allocated number changes meanwhile is not, and the
// double does not change it.
//
// Of capacity providers, only the response for one that is not found was observed: their defaults, that an update
// passes through Pending, and the messages of conflicts are assumptions, modelled on functions.
//
// No recording shows a response of an invoked function. Statuses, headers and sizes are those of the model and the
// documentation, the messages those that users quote; it is an assumption that a durable execution name is rejected
// for a function that is not durable. OnInvoke defines what a function does.
//
// No recording shows a function on managed instances. It is documented that they log in JSON, settle as
// ActiveNonInvocable and run published versions. The messages for memory, a VPC and a function that is not on
// instances are quoted by users; those for Text and provisioned concurrency are assumptions, as are that each version
// begins as Pending, and that the last numbered version runs if $LATEST.PUBLISHED was not published.
//
// Of durable functions, the messages of rejections at creation, later, and without a qualifier are quoted by users,
// and the default of 14 days is documented. That a deletion waits for executions follows from the model; what is
// rejected meanwhile, and the status 202, are assumptions. The messages for PutRuntimeManagementConfig and
// DeleteFunction while a function is Pending are those of other operations. AWS may start durable functions with
// other defaults of Timeout and LogFormat than the double does.
//
// The messages of concurrent changes are quoted by users. Which of two changes is rejected is an assumption, as is
// which operations conflict beyond UpdateFunctionConfiguration, AddPermission, reserved concurrency and asynchronous
// invocation. The reserved concurrency in GetAccountSettings includes provisioned concurrency beyond a reservation,
// as in PutFunctionConcurrency's rejections. How long AWS's reads lag is not documented; users of Terraform report
// that each kind of read may.
//
// CloudWatch speaks RPC v2 with CBOR, as the SDK's client does. GetMetricData has metrics with the statistics Sum,
// Average, Maximum, Minimum, SampleCount and percentiles, and expressions of + - * / and comparisons, SUM, AVG, MIN,
// MAX, IF and FILL. That one wrong query rejects the whole call, the message for a wrong statistic and that of a
// throttled call are quoted by users; the other messages, that an expression must not be a number, and how data is
// divided among pages are assumptions. From when CloudWatch counts periods is not documented: an option selects it.
//
// Traffic simulates invocations and their metrics, with the dimensions that are documented. It is documented that a
// data point has the time at which its invocation began, and is sent when the invocation has ended. How long
// CloudWatch then takes is not: users find the newest one or two minutes absent or incomplete, and an option selects
// it, as it does whether Lambda publishes ExecutedVersion of an alias with one version. It is an assumption that all
// metrics of an invocation appear together. Alarms with a metric are evaluated once a minute, with sliding windows and
// missing data as documented; how many more periods CloudWatch reads than it evaluates is documented by examples only,
// with two.
//
// It is documented that an invocation of an Inactive function fails and makes it Pending. The error is that which users
// report, or with SnapStart the documented one. It is an assumption that each version does so by itself, that DryRun
// neither fails nor activates it, and how StateReason is worded. While an alias moves with its provisioned concurrency,
// changes are accepted unless an option rejects them; neither is documented. Users report that a failed allocation
// leaves the weight of the old version, and the messages for changes that keep that weight. Third parties report that
// version numbers are not used again after a function was deleted.
//
// SQS has standard queues, with the visibility of messages by the clock. A long poll waits in real time, and ends when
// a message is sent. Messages are received in order. Trail delivers calls to Lambda to a queue as CloudTrail and
// EventBridge do: names of events are documented, and other fields are those of published events. It is not documented
// how CloudTrail spells the parameter UUID; readers must accept any case.
//
// To add an operation, add a line to the routes of its service (routes.go) and a handler in the file of its group.
package awsdouble
