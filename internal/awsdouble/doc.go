// Package awsdouble is a stateful double of the parts of AWS that the provider
// talks to, served over HTTP on 127.0.0.1 for tests, the demo and benchmarks.
//
// Real AWS SDK clients use it through an overridden base endpoint. It keeps
// state per account and region, answers with AWS's codes, messages and sparse
// shapes, and lets functions pass through Pending and InProgress by a clock
// that the caller may set.
//
// By Options.StrictCredentials it checks who calls, as IAM and STS do: signatures,
// expiry, trust policies, session tags and web identity tokens. The words of these
// refusals are those that AWS documents and users quote, not observed answers, and
// policies are reduced to the fields of User and Role: what a caller may do with
// Lambda is not checked.
//
// What other services have is taken to be there, until AddResources or RemoveResources
// tells otherwise of a kind: security groups, subnets, roles, event sources, destinations,
// and the accounts and entities of IAM that permissions are for. That a subnet or a queue
// is not there is in recorded words; security groups, roles of another account, and
// destinations are in words that users quote. An account's own roles that are not there
// are taken to be refused like those that Lambda may not assume.
//
// Refusals of half a network, of levels where logs are text, of snapshots of other
// runtimes, of a handler or a code signing configuration of an image, of provisioned
// concurrency of an alias with weights, of scaling without a capacity provider, and of a
// mapping's destination without a name are in words that users quote, and so is that of
// code that is too large with its layers, of which those of other accounts have no size. Those of too many
// tags and of the provisioned concurrency of $LATEST are in the words of answers that
// were observed, but are not in testdata; that of creations whose code is of
// the other package type is in the words of updates.
//
// What is refused of aliases' weights, that an alias exists already or is not
// there to read, and that a version is in use, is in AWS's words as users quote
// them; weights are printed as Java prints them. That versions with snapshots begin as
// Pending, and what $LATEST.PUBLISHED is published and deleted like, is from
// documentation. That aliases are listed by name is ours.
//
// Of layers, the answers to a version that is not there and to a number below 1,
// and that a list that was not sent is left out, are not observed; the layers of
// other accounts are taken to exist, and may not be read.
//
// Policies of functions are held to recorded answers. What these lack is as AWS documents
// it: conditions, principals, limits, and all of PutResourcePolicy and its kin, whose words for
// a policy that cannot be read are ours. Services are principals by their domain, without a
// list of them. That permissions of an alias that is not there are refused as reading it is, and
// that its policy is read as one that is not there, is not recorded. Policies of layer
// versions are held to recordings too, but for what becomes of an organization.
//
// Of event source mappings, observed answers back creation, states, defaults and
// duplicates of queues, DynamoDB streams and self-managed Kafka, and the refusals
// that testdata holds. Behind the rest, which is Kinesis, MSK, MQ and DocumentDB,
// changes while a mapping is in transition, and other refusals, there is the SDK's
// model, the documentation, or what users quote; the words of refusals by
// provisioned mode are the double's own.
//
// That settings of CORS are kept or replaced as a whole, that an empty block clears
// them and that names of headers come back in lower case is as users measured it. That
// provisioned concurrency of $LATEST and CORS without an origin are refused is in AWS's
// words as users quote them. So are those of destinations that are not there or take no
// records. No observation backs how a destination that is not set is printed, and the words
// for a reservation below what is provisioned. Other refusals beyond those
// recorded, of provisioned concurrency and of asynchronous invocation, are in words of ours. No recording shows management of runtimes: its states are those
// of the model, and the words of its refusals are ours. So is what becomes of the
// configurations of a version or an alias that is deleted: they go with it. That an alias
// whose provisioned concurrency moves shows the old version with all calls is documented;
// how the number that is allocated moves meanwhile is not, and here it stays.
//
// No answer about capacity providers was observed but that one is not found: what they
// are set to where nothing is said, that an update passes through Pending, and the
// words of conflicts are ours, on the lines of functions.
//
// No recording shows an answer of a function that was invoked. Statuses, headers and sizes are
// those of the model and the documentation, the words of refusals those that users quote;
// that a name of a durable execution is refused for a function that is not durable is ours.
// What a function does is OnInvoke's to say.
//
// No recording shows a function on managed instances. That they log in JSON, settle as
// ActiveNonInvocable and run published versions is documented; the words for memory, a
// VPC and a function that is not on instances are as users quote them, and those for Text
// and provisioned concurrency are ours. So is that a version begins as Pending each time, and
// that the last numbered version runs where $LATEST.PUBLISHED was not published.
//
// Of durable functions, what is refused at creation, later, and without a qualifier is in words
// that users quote, and the default of 14 days is documented. That a deletion waits for
// executions follows from the model; what is refused meanwhile, and the status 202, are ours.
// The words for PutRuntimeManagementConfig and DeleteFunction while a function is Pending are
// those that other operations have. AWS may start durable functions with other defaults
// of Timeout and LogFormat than the double does.
//
// Of changes at the same time, the words are as users quote them. Which of two
// loses is ours, and which operations conflict beyond UpdateFunctionConfiguration,
// AddPermission, reserved concurrency and asynchronous invocation. What GetAccountSettings counts as
// reserved includes provisioned concurrency beyond a reservation, as PutFunctionConcurrency's
// refusals do. How long AWS's reads lag is not documented; that each kind of read may is
// what users of Terraform report.
//
// To add an operation, add a line to the routes of its service (routes.go) and
// a handler in the file of its group.
package awsdouble
