package v1beta1

// Annotations of managed resources and configs, besides those of rollouts and of Crossplane.
const (
	// AnnotationAdopt is the annotation that, set to "true", lets a resource adopt an external
	// resource that another cluster or another resource owns, or that has no known owner.
	AnnotationAdopt = "lambda.aws.m.crossplane.io/adopt"

	// AnnotationNamedBy records which object wrote the external name and what it wrote, as "uid/name". It distinguishes
	// an external name that the user set, or that a backup restored, from one that the provider wrote.
	AnnotationNamedBy = "lambda.aws.m.crossplane.io/external-name-written-by"

	// AnnotationParent keeps what Parent returns. It is set in memory when a creation is
	// prepared, and written together with the annotation that a creation is pending. For what
	// is adopted, it is written together with the external name.
	AnnotationParent = "lambda.aws.m.crossplane.io/parent"

	// AnnotationUnanswered keeps the time of an unanswered create, so that it is not known
	// whether AWS has created anything.
	AnnotationUnanswered = "lambda.aws.m.crossplane.io/create-unanswered"

	// AnnotationAsked has the settings of a create until its result is known. What has no tags is recognised by them as
	// the result of an unanswered create, even if spec was changed since.
	AnnotationAsked = "lambda.aws.m.crossplane.io/create-settings"

	// AnnotationIntent records what a resource is about to create in AWS, in a form of the kind's own. It is written
	// before the call, so that the result is found even if the response is lost.
	AnnotationIntent = "lambda.aws.m.crossplane.io/intent"

	// AnnotationLastInvocation records an action that AWS keeps no trace of: the last call of an Invocation.
	AnnotationLastInvocation = "lambda.aws.m.crossplane.io/last-invocation"

	// AnnotationAllowedNamespaces is the annotation with the namespaces that may refer to a resource and act on what it
	// owns: names separated by commas, or * for all. On a Namespace, it applies to all resources in it.
	AnnotationAllowedNamespaces = "lambda.aws.m.crossplane.io/allowed-namespaces"

	// AnnotationIgnoreAdvice is the annotation that has the codes of findings that a resource does not report,
	// separated by commas. "*" stands for all.
	AnnotationIgnoreAdvice = "lambda.aws.m.crossplane.io/ignore-advice"

	// AnnotationPlan is the annotation of a resource that is only planned: as long as it is "true", or anything else
	// but "false", nothing is changed in AWS, and the condition Planned says what would be done.
	AnnotationPlan = "lambda.aws.m.crossplane.io/plan"

	// AnnotationRecentDeletions is the annotation of a config with the deletions of its resources that were sent
	// without a confirmation. It is written before each deletion, so that neither a restart nor another shard of the
	// provider exceeds the limit.
	AnnotationRecentDeletions = "lambda.aws.m.crossplane.io/recent-deletions"

	// AnnotationConfirmDeletion is the annotation that confirms a deletion. Its value is a time that is not before the
	// deletion. So a template or a manifest that carries the annotation cannot confirm a deletion in advance, and one
	// command confirms all deletions of a namespace.
	AnnotationConfirmDeletion = "lambda.aws.m.crossplane.io/confirm-deletion"
)

// UsageFinalizer keeps a usage until its resource is deleted. Without it, the deletion of a namespace
// would delete the usages first, and then the config while resources still need it.
const UsageFinalizer = "lambda.aws.m.crossplane.io/in-use"
