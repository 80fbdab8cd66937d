package v1beta1

import "testing"

const functionURL = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: FunctionURL
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    functionName: hello
    authType: AWS_IAM
`

const noFunction = `spec.forProvider.functionName: Required value: set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function`

// TestConfiguredFunctionRefused checks the constraints of a configured function's name, which are the same for every
// kind.
func TestConfiguredFunctionRefused(t *testing.T) {
	testRefusals(t, functionURL, map[string]refusal{
		"NoRegion": {
			"Without a region nothing can be asked.",
			forProvider(`region: null`),
			`spec.forProvider.region: Required value`,
		},
		"RegionSpelled": {
			"Regions have a form.",
			forProvider(`region: Frankfurt`),
			`spec.forProvider.region: Invalid value: "Frankfurt": region is not an AWS region name: use one such as eu-central-1`,
		},
		"NoFunction": {"It is for a function.", forProvider(`functionName: null`), noFunction},
		"FunctionARN": {
			"An ARN may be of another region or account.",
			forProvider(`functionName: "arn:aws:lambda:eu-central-1:123456789012:function:hello"`),
			`spec.forProvider.functionName: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:function:hello": functionName must be the plain name of a function: use letters, digits, hyphens and underscores, without an ARN or a version`,
		},
		"FunctionLong": {
			"AWS takes 64 characters.",
			forProvider(`functionName: ` + numberedName(65)),
			`spec.forProvider.functionName: Too long: may not be more than 64 bytes`,
		},
	})
}

func TestFunctionURLRefused(t *testing.T) {
	const qualifier = `: qualifier must be the name of an alias: a version has no URL; set an alias, or remove qualifier for the URL of $LATEST`
	cors := func(fields string) string { return forProvider(`cors: {allowOrigins: ["*"], ` + fields + `}`) }
	testRefusals(t, functionURL, map[string]refusal{
		"Version": {
			"Versions have no URL.",
			forProvider(`qualifier: "12"`),
			`spec.forProvider.qualifier: Invalid value: "12"` + qualifier,
		},
		"Latest": {
			"It is what no qualifier means.",
			forProvider(`qualifier: $LATEST`),
			`spec.forProvider.qualifier: Invalid value: "$LATEST"` + qualifier,
		},
		"NoAuth": {
			"Who may call is nothing to guess.",
			forProvider(`authType: null`),
			`spec.forProvider.authType: Required value: set authType to AWS_IAM, or to NONE for a public URL`,
		},
		"UnknownAuth": {
			"There are two.",
			forProvider(`authType: COGNITO`),
			`spec.forProvider.authType: Unsupported value: "COGNITO": supported values: "NONE", "AWS_IAM"`,
		},
		"InvokeMode": {
			"There are two.",
			forProvider(`invokeMode: STREAM`),
			`spec.forProvider.invokeMode: Unsupported value: "STREAM": supported values: "BUFFERED", "RESPONSE_STREAM"`,
		},
		"UpjetsName": {
			"AWS calls it authType.",
			forProvider(`authorizationType: NONE`),
			`FunctionURL in version "v1beta1" cannot be handled as a FunctionURL: strict decoding error: unknown field "spec.forProvider.authorizationType"`,
		},
		"NoOrigin": {
			"AWS wants one.",
			forProvider(`cors: {allowMethods: [GET]}`),
			`spec.forProvider.cors.allowOrigins: Required value: set allowOrigins to the origins that pages may have, or remove cors`,
		},
		"EmptyOrigins": {
			"AWS wants one.",
			forProvider(`cors: {allowOrigins: []}`),
			`spec.forProvider.cors.allowOrigins: Invalid value: 0: spec.forProvider.cors.allowOrigins in body should have at least 1 items`,
		},
		"OriginPath": {
			"Browsers send none.",
			forProvider(`cors: {allowOrigins: ["https://a.example/app"]}`),
			`spec.forProvider.cors.allowOrigins: Invalid value: an origin must be a scheme and a host without a path, such as https://www.example.com, or '*' for all`,
		},
		"OriginHost": {
			"Browsers send a scheme.",
			forProvider(`cors: {allowOrigins: [a.example]}`),
			`spec.forProvider.cors.allowOrigins: Invalid value: an origin must be a scheme and a host without a path, such as https://www.example.com, or '*' for all`,
		},
		"Options": {
			"AWS answers them by itself.",
			cors(`allowMethods: [OPTIONS]`),
			`spec.forProvider.cors.allowMethods[0]: Unsupported value: "OPTIONS": supported values: "GET", "PUT", "HEAD", "POST", "PATCH", "DELETE", "*"`,
		},
		"MaxAge": {
			"A day is the most.",
			cors(`maxAge: 86401`),
			`spec.forProvider.cors.maxAge: Invalid value: 86401: spec.forProvider.cors.maxAge in body should be less than or equal to 86400`,
		},
		"ManyHeaders": {
			"A hundred are the most.",
			cors(`allowHeaders: [` + numbered(101, "h%d") + `]`),
			`spec.forProvider.cors.allowHeaders: Too many: 101: must have at most 100 items`,
		},
		"Initial": {
			"What is set at creation is held to the same.",
			`spec: {initProvider: {authType: OPEN}}`,
			`spec.initProvider.authType: Unsupported value: "OPEN": supported values: "NONE", "AWS_IAM"`,
		},
	})
}

func TestFunctionURLAccepted(t *testing.T) {
	testAcceptances(t, functionURL, map[string]acceptance{
		"Least": {"The least is enough.", ``},
		"Observed": {
			"Who only observes names the region.",
			`spec: {managementPolicies: [Observe], forProvider: {functionName: null, authType: null}}`,
		},
		"Alias":  {"A URL of an alias.", forProvider(`qualifier: live-2_a`)},
		"Digits": {"An alias may begin with them.", forProvider(`qualifier: 2live`)},
		"References": {
			"Both by reference.",
			forProvider(
				`functionName: null, functionNameRef: {name: hello}, qualifierSelector: {matchLabels: {stage: live}}`,
			),
		},
		"InitAuth": {
			"Another tool may change it.",
			`spec: {forProvider: {authType: null}, initProvider: {authType: NONE, invokeMode: BUFFERED}}`,
		},
		"InitOrigins": {
			"What is needed may be in the other block.",
			`spec: {forProvider: {cors: {maxAge: 60}}, initProvider: {cors: {allowOrigins: ["*"]}}}`,
		},
		"InitMaxAge": {
			"What is needed may be in the other block.",
			`spec: {forProvider: {cors: {allowOrigins: ["*"]}}, initProvider: {cors: {maxAge: 60}}}`,
		},
		"Everything": {
			"All of CORS.",
			forProvider(
				`authType: NONE, invokeMode: RESPONSE_STREAM, cors: {allowCredentials: true, allowHeaders: [Content-Type, x-a], allowMethods: [GET, "*"],
				allowOrigins: ["https://www.example.com", "http://localhost:60905", "chrome-extension://abc", "*"], exposeHeaders: [date], maxAge: 0}`,
			),
		},
	})
}

func TestConfiguredFunctionUpdates(t *testing.T) {
	testUpdates(t, functionURL, map[string]update{
		"Region": {
			"It does not move.",
			``,
			forProvider(`region: eu-west-1`),
			`spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region`,
		},
		"Function": {
			"It stays with its function.",
			``,
			forProvider(`functionName: bye`),
			`spec.forProvider.functionName: Forbidden: functionName can't be changed: create another resource for the other function`,
		},
		"Qualifier": {
			"It stays with its alias.",
			forProvider(`qualifier: live`),
			forProvider(`qualifier: beta`),
			`spec.forProvider.qualifier: Forbidden: qualifier can't be changed: create another resource for the other qualifier`,
		},
		"ToReference": {
			"What it is for may be said otherwise.",
			``,
			forProvider(`functionName: null, functionNameRef: {name: hello}`),
			``,
		},
		"Settings": {
			"Settings change.",
			``,
			forProvider(`authType: NONE, cors: {allowOrigins: ["*"]}, invokeMode: RESPONSE_STREAM`),
			``,
		},
		"LetGo": {
			"Who only observes need not say anything.",
			``,
			`spec: {managementPolicies: [Observe], forProvider: {functionName: null, authType: null}}`,
			``,
		},
	})
}
