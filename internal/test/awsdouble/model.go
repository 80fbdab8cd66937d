package awsdouble

import "github.com/aws/aws-sdk-go-v2/service/lambda/types"

// Configuration is a function's or a version's configuration as Lambda returns it. Members that Lambda omits when
// unset are pointers, or are empty.
type Configuration struct {
	Architectures              []types.Architecture          `json:",omitempty"`
	CapacityProviderConfig     *types.CapacityProviderConfig `json:",omitempty"`
	CodeSha256                 string                        `json:",omitempty"`
	CodeSize                   int64                         `json:""`
	DeadLetterConfig           *types.DeadLetterConfig       `json:",omitempty"`
	Description                string                        `json:""`
	DurableConfig              *types.DurableConfig          `json:",omitempty"`
	Environment                *types.EnvironmentResponse    `json:",omitempty"`
	EphemeralStorage           *types.EphemeralStorage       `json:",omitempty"`
	FileSystemConfigs          []types.FileSystemConfig      `json:",omitempty"`
	FunctionArn                string                        `json:",omitempty"`
	FunctionName               string                        `json:",omitempty"`
	Handler                    string                        `json:",omitempty"`
	ImageConfigResponse        *types.ImageConfigResponse    `json:",omitempty"`
	KMSKeyArn                  string                        `json:",omitempty"`
	LastModified               string                        `json:",omitempty"`
	LastUpdateStatus           string                        `json:",omitempty"`
	LastUpdateStatusReason     string                        `json:",omitempty"`
	LastUpdateStatusReasonCode string                        `json:",omitempty"`
	Layers                     []types.Layer                 `json:",omitempty"`
	LoggingConfig              *types.LoggingConfig          `json:",omitempty"`
	MemorySize                 int32                         `json:""`
	PackageType                string                        `json:",omitempty"`
	RevisionId                 string                        `json:",omitempty"` //nolint:revive // Lambda's spelling
	Role                       string                        `json:",omitempty"`
	Runtime                    string                        `json:",omitempty"`
	RuntimeConfig              *types.FunctionRuntimeConfig  `json:",omitempty"`
	RuntimeVersionConfig       *types.RuntimeVersionConfig   `json:",omitempty"`
	SnapStart                  *types.SnapStartResponse      `json:",omitempty"`
	State                      string                        `json:",omitempty"`
	StateReason                string                        `json:",omitempty"`
	StateReasonCode            string                        `json:",omitempty"`
	TenancyConfig              *types.TenancyConfig          `json:",omitempty"`
	Timeout                    int32                         `json:""`
	TracingConfig              *types.TracingConfigResponse  `json:",omitempty"`
	Version                    string                        `json:",omitempty"`
	VpcConfig                  *types.VpcConfigResponse      `json:",omitempty"`
}
