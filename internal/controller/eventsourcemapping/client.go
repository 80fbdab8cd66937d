package eventsourcemapping

// The AWS operations that this kind calls, by the names that the quota package uses.
const (
	opGet    = "GetEventSourceMapping"
	opList   = "ListEventSourceMappings"
	opTags   = "ListTags"
	opCreate = "CreateEventSourceMapping"
	opUpdate = "UpdateEventSourceMapping"
	opDelete = "DeleteEventSourceMapping"
)
