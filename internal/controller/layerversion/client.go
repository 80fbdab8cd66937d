package layerversion

// The AWS operations that this kind calls, by the names that the quota package uses.
const (
	opGet     = "GetLayerVersion"
	opList    = "ListLayerVersions"
	opPublish = "PublishLayerVersion"
	opDelete  = "DeleteLayerVersion"

	opFunctions = "ListFunctions"
)
