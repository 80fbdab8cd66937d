package awsdouble

// The qualifiers of configurations of a function, a version or an alias.
var (
	aliased = of("qualifier",
		longest(128), shortest(1), patternAs(`((?!^\d+$)^[0-9a-zA-Z-_]+$)`, `[0-9]*[a-zA-Z_-][0-9a-zA-Z_-]*`))
	provisioned = of("qualifier", notNull, longest(128), shortest(1), pattern(`(|[a-zA-Z0-9$_-]+)`))
)

// urlMembers are the members that creation and update of a URL share.
var urlMembers = []member{
	of("cors.allowHeaders", longest(100)).withElements(longest(1024), shortest(0), pattern(`.*`), notNull),
	of("cors.allowMethods", longest(6)).withElements(longest(6), shortest(0), pattern(`.*`), notNull),
	of("cors.allowOrigins", longest(100)).withElements(longest(253), shortest(1), pattern(`.*`), notNull),
	of("cors.exposeHeaders", longest(100)).withElements(longest(1024), shortest(0), pattern(`.*`), notNull),
	of("cors.maxAge", highest(86400), lowest(0)),
	of("invokeMode", oneOf("BUFFERED", "RESPONSE_STREAM")),
}

// eventMembers are the settings of asynchronous invocation.
var eventMembers = []member{
	of("maximumRetryAttempts", highest(2), lowest(0)),
	of("maximumEventAgeInSeconds", highest(21600), lowest(60)),
	of("destinationConfig.onSuccess.destination", longest(350), shortest(0), pattern(destinationPattern)),
	of("destinationConfig.onFailure.destination", longest(350), shortest(0), pattern(destinationPattern)),
}
