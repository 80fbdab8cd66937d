package v1beta1

import (
	"strings"
	"testing"
)

func TestEnvironmentRefused(t *testing.T) {
	testRefusals(t, zipFunction, map[string]refusal{
		"NameStartsWithDigit": {
			reason: "AWS wants a letter first.",
			change: forProvider(`environment: {variables: {1ST: a, SECOND: b}}`),
			want:   "spec.forProvider.environment.variables: Invalid value: 1ST is not a valid variable name: use at least two letters, digits or underscores, starting with a letter",
		},
		"NameOfOneLetter": {
			reason: "AWS wants two characters.",
			change: forProvider(`environment: {variables: {A: a}}`),
			want:   "spec.forProvider.environment.variables: Invalid value: A is not a valid variable name: use at least two letters, digits or underscores, starting with a letter",
		},
		"NameWithDash": {
			reason: "AWS takes no dash.",
			change: forProvider(`environment: {variables: {LOG-LEVEL: a}}`),
			want:   "spec.forProvider.environment.variables: Invalid value: LOG-LEVEL is not a valid variable name: use at least two letters, digits or underscores, starting with a letter",
		},
		"NameStartsWithUnderscore": {
			reason: "AWS wants a letter first.",
			change: forProvider(`environment: {variables: {_HANDLER: a}}`),
			want:   "spec.forProvider.environment.variables: Invalid value: _HANDLER is not a valid variable name: use at least two letters, digits or underscores, starting with a letter",
		},
		"NameReserved": {
			reason: "Lambda sets it.",
			change: forProvider(`environment: {variables: {AWS_REGION: eu-central-1}}`),
			want:   "spec.forProvider.environment.variables: Invalid value: the variable name is reserved by Lambda (AWS_REGION, AWS_ACCESS_KEY_ID, LAMBDA_TASK_ROOT and similar): choose another name",
		},
		"NameReservedCredentials": {
			reason: "Lambda sets it.",
			change: forProvider(`environment: {variables: {AWS_SESSION_TOKEN: a}}`),
			want:   "spec.forProvider.environment.variables: Invalid value: the variable name is reserved by Lambda (AWS_REGION, AWS_ACCESS_KEY_ID, LAMBDA_TASK_ROOT and similar): choose another name",
		},
		"ValueNumber": {
			reason: "A variable is text.",
			change: forProvider(`environment: {variables: {PORT: 80}}`),
			want:   `spec.forProvider.environment.variables.PORT: Invalid value: "integer": spec.forProvider.environment.variables.PORT in body must be of type string: "integer"`,
		},
		"TooLarge": {
			reason: "AWS takes 4 KB.",
			change: forProvider(`environment: {variables: {LARGE: ` + strings.Repeat("v", 4092) + `}}`),
			want:   "spec.forProvider.environment.variables: Invalid value: the names and values have more than 4096 bytes in total: shorten them, or let the function read large values from elsewhere",
		},
		"TooMany": {
			reason: "More do not fit into 4 KB.",
			change: forProvider(`environment: {variables: {` + numbered(513, `k%d: ""`) + `}}`),
			want:   "spec.forProvider.environment.variables: Too many: 513: must have at most 512 items",
		},
		"Twice": {
			reason: "One of them would be ignored.",
			change: forProvider(
				`environment: {variables: {TOKEN: a}, variablesFrom: [{name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}]}`,
			),
			want: "spec.forProvider.environment: Invalid value: a variable is set in both variables and variablesFrom: remove it from one of them",
		},
		"FromTwice": {
			reason: "A name is used once.",
			change: forProvider(
				`environment: {variablesFrom: [{name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}, {name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: c}}}]}`,
			),
			want: `spec.forProvider.environment.variablesFrom[1]: Duplicate value: {"name":"TOKEN"}`,
		},
		"FromNameStartsWithDigit": {
			reason: "AWS wants a letter first.",
			change: forProvider(
				`environment: {variablesFrom: [{name: 1ST, valueFrom: {secretKeyRef: {name: a, key: b}}}]}`,
			),
			want: `spec.forProvider.environment.variablesFrom[0].name: Invalid value: "1ST": a variable name must have at least two letters, digits or underscores and start with a letter`,
		},
		"FromNameReserved": {
			reason: "Lambda sets it.",
			change: forProvider(
				`environment: {variablesFrom: [{name: LAMBDA_TASK_ROOT, valueFrom: {secretKeyRef: {name: a, key: b}}}]}`,
			),
			want: `spec.forProvider.environment.variablesFrom[0].name: Invalid value: "LAMBDA_TASK_ROOT": the variable name is reserved by Lambda (AWS_REGION, AWS_ACCESS_KEY_ID, LAMBDA_TASK_ROOT and similar): choose another name`,
		},
		"FromNameTooLong": {
			reason: "A name is one of many in 4 KB.",
			change: forProvider(
				`environment: {variablesFrom: [{name: ` + strings.Repeat(
					"N",
					257,
				) + `, valueFrom: {secretKeyRef: {name: a, key: b}}}]}`,
			),
			want: "spec.forProvider.environment.variablesFrom[0].name: Too long: may not be more than 256 bytes",
		},
		"FromWithoutName": {
			reason: "A value needs a name.",
			change: forProvider(`environment: {variablesFrom: [{valueFrom: {secretKeyRef: {name: a, key: b}}}]}`),
			want:   "spec.forProvider.environment.variablesFrom[0].name: Required value",
		},
		"FromWithoutSource": {
			reason: "A value comes from somewhere.",
			change: forProvider(`environment: {variablesFrom: [{name: TOKEN}]}`),
			want:   "spec.forProvider.environment.variablesFrom[0].valueFrom: Required value",
		},
		"FromNothing": {
			reason: "A value comes from one of the two.",
			change: forProvider(`environment: {variablesFrom: [{name: TOKEN, valueFrom: {}}]}`),
			want:   "spec.forProvider.environment.variablesFrom[0].valueFrom: Invalid value: set exactly one of secretKeyRef and configMapKeyRef in valueFrom",
		},
		"FromBoth": {
			reason: "A value comes from one of the two.",
			change: forProvider(
				`environment: {variablesFrom: [{name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}, configMapKeyRef: {name: a, key: b}}}]}`,
			),
			want: "spec.forProvider.environment.variablesFrom[0].valueFrom: Invalid value: set exactly one of secretKeyRef and configMapKeyRef in valueFrom",
		},
		"FromWithoutKey": {
			reason: "A Secret has many keys.",
			change: forProvider(`environment: {variablesFrom: [{name: TOKEN, valueFrom: {secretKeyRef: {name: a}}}]}`),
			want:   "spec.forProvider.environment.variablesFrom[0].valueFrom.secretKeyRef.key: Required value",
		},
		"FromPlainValue": {
			reason: "Plain values are in variables.",
			change: forProvider(`environment: {variablesFrom: [{name: TOKEN, value: a}]}`),
			want:   `Function in version "v1beta1" cannot be handled as a Function: strict decoding error: unknown field "spec.forProvider.environment.variablesFrom[0].value"`,
		},
		"EnvFromNothing": {
			reason: "An entry is one of the two.",
			change: forProvider(`environment: {envFrom: [{prefix: APP_}]}`),
			want:   "spec.forProvider.environment.envFrom[0]: Invalid value: set exactly one of secretRef and configMapRef in each entry of envFrom",
		},
		"EnvFromBoth": {
			reason: "An entry is one of the two.",
			change: forProvider(`environment: {envFrom: [{secretRef: {name: a}, configMapRef: {name: a}}]}`),
			want:   "spec.forProvider.environment.envFrom[0]: Invalid value: set exactly one of secretRef and configMapRef in each entry of envFrom",
		},
		"EnvFromWithoutName": {
			reason: "A reference has a name.",
			change: forProvider(`environment: {envFrom: [{secretRef: {}}]}`),
			want:   "spec.forProvider.environment.envFrom[0].secretRef.name: Required value",
		},
		"EnvFromPrefix": {
			reason: "No name starts with a digit.",
			change: forProvider(`environment: {envFrom: [{secretRef: {name: a}, prefix: "1_"}]}`),
			want:   `spec.forProvider.environment.envFrom[0].prefix: Invalid value: "1_": prefix must start with a letter and have only letters, digits and underscores`,
		},
		"EnvFromOtherNamespace": {
			reason: "Secrets of other namespaces are out of reach.",
			change: forProvider(`environment: {envFrom: [{secretRef: {name: a, namespace: kube-system}}]}`),
			want:   `Function in version "v1beta1" cannot be handled as a Function: strict decoding error: unknown field "spec.forProvider.environment.envFrom[0].secretRef.namespace"`,
		},
		"AtCreation": {
			reason: "initProvider is checked as forProvider is.",
			change: `spec: {initProvider: {environment: {variables: {AWS_REGION: a}}}}`,
			want:   "spec.initProvider.environment.variables: Invalid value: the variable name is reserved by Lambda (AWS_REGION, AWS_ACCESS_KEY_ID, LAMBDA_TASK_ROOT and similar): choose another name",
		},
	})
}
