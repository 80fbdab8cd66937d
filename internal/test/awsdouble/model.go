package awsdouble

import "encoding/json"

// Configuration is a function's or a version's configuration as Lambda returns it. Members that Lambda omits when
// unset are pointers, or are empty.
type Configuration struct {
	Architectures              []string        `json:",omitempty"`
	CapacityProviderConfig     json.RawMessage `json:",omitempty"`
	CodeSha256                 string          `json:",omitempty"`
	CodeSize                   int64           `json:""`
	DeadLetterConfig           *DeadLetter     `json:",omitempty"`
	Description                string          `json:""`
	DurableConfig              json.RawMessage `json:",omitempty"`
	Environment                *Environment    `json:",omitempty"`
	EphemeralStorage           *Ephemeral      `json:",omitempty"`
	FileSystemConfigs          []FileSystem    `json:",omitempty"`
	FunctionArn                string          `json:",omitempty"`
	FunctionName               string          `json:",omitempty"`
	Handler                    string          `json:",omitempty"`
	ImageConfigResponse        *ImageResponse  `json:",omitempty"`
	KMSKeyArn                  string          `json:",omitempty"`
	LastModified               string          `json:",omitempty"`
	LastUpdateStatus           string          `json:",omitempty"`
	LastUpdateStatusReason     string          `json:",omitempty"`
	LastUpdateStatusReasonCode string          `json:",omitempty"`
	Layers                     []Layer         `json:",omitempty"`
	LoggingConfig              *Logging        `json:",omitempty"`
	MasterArn                  string          `json:",omitempty"`
	MemorySize                 int32           `json:""`
	PackageType                string          `json:",omitempty"`
	RevisionId                 string          `json:",omitempty"` //nolint:revive // Lambda's spelling
	Role                       string          `json:",omitempty"`
	Runtime                    string          `json:",omitempty"`
	RuntimeVersionConfig       *RuntimeVersion `json:",omitempty"`
	SnapStart                  *SnapStart      `json:",omitempty"`
	State                      string          `json:",omitempty"`
	StateReason                string          `json:",omitempty"`
	StateReasonCode            string          `json:",omitempty"`
	TenancyConfig              json.RawMessage `json:",omitempty"`
	Timeout                    int32           `json:""`
	TracingConfig              *Tracing        `json:",omitempty"`
	Version                    string          `json:",omitempty"`
	VpcConfig                  *VPC            `json:",omitempty"`
}

// DeadLetter is the destination of failed asynchronous events.
type DeadLetter struct {
	TargetArn string `json:",omitempty"`
}

// Environment holds environment variables in plain text.
type Environment struct{ Variables map[string]string }

// Ephemeral is the size of /tmp in MB.
type Ephemeral struct{ Size int32 }

// FileSystem is a mounted EFS access point.
type FileSystem struct{ Arn, LocalMountPath string }

// ImageConfig overrides an image's entry point, command and directory.
type ImageConfig struct {
	Command          []string `json:",omitempty"`
	EntryPoint       []string `json:",omitempty"`
	WorkingDirectory string   `json:",omitempty"`
}

// ImageResponse wraps ImageConfig in responses.
type ImageResponse struct{ ImageConfig ImageConfig }

// A Layer is an attached layer version.
type Layer struct {
	Arn      string
	CodeSize int64
}

// Logging configures where and in which format a function logs.
type Logging struct {
	ApplicationLogLevel string `json:",omitempty"`
	LogFormat           string `json:",omitempty"`
	LogGroup            string `json:",omitempty"`
	SystemLogLevel      string `json:",omitempty"`
}

// RuntimeVersion names the patched version of the runtime.
type RuntimeVersion struct{ RuntimeVersionArn string }

// SnapStart configures whether published versions start from snapshots.
type SnapStart struct {
	ApplyOn            string `json:",omitempty"`
	OptimizationStatus string `json:",omitempty"`
}

// Tracing is the X-Ray mode.
type Tracing struct{ Mode string }

// VPC is the network to which a function is attached.
type VPC struct {
	Ipv6AllowedForDualStack bool
	SecurityGroupIds        []string //nolint:revive // Lambda's spelling
	SubnetIds               []string //nolint:revive // Lambda's spelling
	VpcId                   string   //nolint:revive // Lambda's spelling
}

// codeLocation is the location of the code in GetFunction's response.
type codeLocation struct {
	ImageUri         string `json:",omitempty"` //nolint:revive // Lambda's spelling
	Location         string `json:",omitempty"`
	RepositoryType   string `json:",omitempty"`
	ResolvedImageUri string `json:",omitempty"` //nolint:revive // Lambda's spelling
	SourceKMSKeyArn  string `json:",omitempty"`

	// ResolvedS3Object is the object that Lambda uses without a copy, nil if there is a copy.
	ResolvedS3Object *s3Object `json:",omitempty"`
}

// s3Object is a version of an object that a function refers to.
type s3Object struct{ S3Bucket, S3Key, S3ObjectVersion string }
