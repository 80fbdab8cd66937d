package layerversionpermission

// The AWS operations that this kind calls.
const (
	opRead   = "GetLayerVersionPolicy"
	opAdd    = "AddLayerVersionPermission"
	opRemove = "RemoveLayerVersionPermission"
)
