package v1beta1

// Ways to find the URL of an endpoint.
const (
	EndpointURLTypeStatic  = "Static"
	EndpointURLTypeDynamic = "Dynamic"
	EndpointURLTypeAuto    = "Auto"
)

// An EndpointConfig overrides where calls are sent and how they are signed.
type EndpointConfig struct {
	// URL of the endpoint.
	URL URLConfig `json:"url"`

	// Services are the services that the endpoint is for, as AWS's CLI spells them:
	// lambda, s3, sts. The default is all services.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=50
	// +kubebuilder:validation:items:MinLength=1
	Services []string `json:"services,omitempty"`

	// HostnameImmutable keeps the host of the URL as it is: S3's bucket names then go into the path. The default is
	// true for a static URL whose host is an IP address or localhost.
	// +optional
	HostnameImmutable *bool `json:"hostnameImmutable,omitempty"`

	// PartitionID is the AWS partition, such as aws, aws-cn or aws-us-gov. The
	// default is that of the resource's region.
	// +optional
	// +kubebuilder:validation:Pattern=`^aws[a-z-]*$`
	PartitionID *string `json:"partitionId,omitempty"`

	// SigningName is the service name that calls are signed for. The default is the service's own.
	// +optional
	// +kubebuilder:validation:MinLength=1
	SigningName *string `json:"signingName,omitempty"`

	// SigningRegion is the region that calls are signed for. The default is the resource's region.
	// +optional
	// +kubebuilder:validation:MinLength=1
	SigningRegion *string `json:"signingRegion,omitempty"`

	// SigningMethod is v4, AWS's Signature Version 4.
	// +optional
	// +kubebuilder:validation:Enum=v4
	SigningMethod *string `json:"signingMethod,omitempty"`

	// Source is accepted for configs that come from other providers, and has no effect.
	// +optional
	// +kubebuilder:validation:Enum=ServiceMetadata;Custom
	Source *string `json:"source,omitempty"`
}

// A URLConfig determines the URL of an endpoint.
//
// +kubebuilder:validation:XValidation:rule="self.type != 'Static' || has(self.static)",message="type Static needs static: set it to the URL of the endpoint"
// +kubebuilder:validation:XValidation:rule="self.type != 'Dynamic' || has(self.dynamic)",message="type Dynamic needs dynamic: set it, with the host that follows the service and the region in the URL"
type URLConfig struct {
	// Type is Static for one URL, Dynamic for one made of service, region and host, and Auto for AWS's own.
	// +kubebuilder:validation:Enum=Static;Dynamic;Auto
	Type string `json:"type"`

	// Static is the URL of the endpoint, whatever the service and region.
	// +optional
	// +kubebuilder:validation:Pattern=`^https?://[^\s/@?#]+(/[^\s?#]*)?$`
	Static *string `json:"static,omitempty"`

	// Dynamic makes the URL https://<service>.<region>.<host>.
	// +optional
	Dynamic *DynamicURLConfig `json:"dynamic,omitempty"`
}

// A DynamicURLConfig makes a URL for each service and region.
type DynamicURLConfig struct {
	// Protocol of the URL.
	// +kubebuilder:validation:Enum=http;https
	Protocol string `json:"protocol"`

	// Host that follows the service and the region in the URL, such as amazonaws.com.
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$`
	Host string `json:"host"`
}
