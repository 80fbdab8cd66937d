package awsdouble

// The qualifiers of configurations of a function, a version or an alias.
var (
	aliased = member{path: "qualifier", in: inQuery, rules: []rule{
		longest(128), shortest(1),
		patternAs(`((?!^\d+$)^[0-9a-zA-Z-_]+$)`, `[0-9]*[a-zA-Z_-][0-9a-zA-Z_-]*`),
	}}
	provisioned = member{
		path: "qualifier", in: inQuery, required: true,
		rules: []rule{longest(128), shortest(1), pattern(`(|[a-zA-Z0-9$_-]+)`)},
	}
)

// urlMembers are the members that creation and update of a URL share.
var urlMembers = []member{
	{
		path: "cors.allowHeaders", rules: []rule{longest(100)},
		each: []rule{longest(1024), shortest(0), pattern(`.*`), notNull},
	},
	{
		path: "cors.allowMethods", rules: []rule{longest(6)},
		each: []rule{longest(6), shortest(0), pattern(`.*`), notNull},
	},
	{
		path: "cors.allowOrigins", rules: []rule{longest(100)},
		each: []rule{longest(253), shortest(1), pattern(`.*`), notNull},
	},
	{
		path: "cors.exposeHeaders", rules: []rule{longest(100)},
		each: []rule{longest(1024), shortest(0), pattern(`.*`), notNull},
	},
	{path: "cors.maxAge", rules: []rule{highest(86400), lowest(0)}},
	{path: "invokeMode", rules: []rule{oneOf("BUFFERED", "RESPONSE_STREAM")}},
}

// eventMembers are the settings of asynchronous invocation.
var eventMembers = []member{
	{path: "maximumRetryAttempts", rules: []rule{highest(2), lowest(0)}},
	{path: "maximumEventAgeInSeconds", rules: []rule{highest(21600), lowest(60)}},
	{
		path:  "destinationConfig.onSuccess.destination",
		rules: []rule{longest(350), shortest(0), pattern(destinationPattern)},
	},
	{
		path:  "destinationConfig.onFailure.destination",
		rules: []rule{longest(350), shortest(0), pattern(destinationPattern)},
	},
}
