package explore

import (
	"context"
	"strconv"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

type resource = samples.Sample

// The operations of AWS.
const (
	opGet          = "Get"
	opList         = "List"
	opCreate       = "Create"
	opUpdateValue  = "UpdateValue"
	opUpdateSecret = "UpdateSecret"
	opTag          = "Tag"
	opDelete       = "Delete"
)

const (
	kindTag   = "thing.test.lambda.aws.m.crossplane.io"
	clusterID = "ours"
)

// A kind is how AWS names items and records their owner.
type kind struct {
	// NameGiven as in reconcile.Calls.
	NameGiven bool

	// Tagged items carry the UID of their resource.
	Tagged bool
}

// settings of an item, as they are compared.
type settings struct {
	Value  string      `json:"value"`
	Secret diff.Secret `json:"secret"`
}

// found is what one observation has read.
type found = reconcile.Observation[item, settings]

// external is an item as a reconcile.Resource. It does what the project's kinds do,
// on the model of AWS.
type external struct {
	kind kind
	api  *api
}

// api is the AWS API of one process.
type api struct {
	env    *env
	leader int
}

// resource returns the item as a reconcile.Resource.
func (e *external) resource() reconcile.Resource[*resource, item, settings] {
	return reconcile.Resource[*resource, item, settings]{
		Calls: reconcile.Calls{Create: opCreate, Delete: opDelete, NameGiven: e.kind.NameGiven},
		Read:  e.read, Owner: e.owner, Status: e.status, Desired: e.desired, Compare: e.compare, Plan: e.plan,
		Create: e.create, Update: e.update, Delete: e.delete,
	}
}

func (e *external) read(_ context.Context, _ reconcile.Facts, mg *resource) (found, error) {
	name := reconcile.ExternalName(mg)
	switch {
	case name != "":
	case !e.kind.NameGiven:
		name = nameOf(1)
	case meta.GetExternalCreatePending(mg).IsZero():
		return found{}, nil
	default:
		return e.lost(mg)
	}
	var seen item
	err := e.api.read(opGet, func(a *account) error {
		if i := a.find(idOf(name)); i != nil {
			seen = *i
			return nil
		}
		return errNotFound
	})
	if awserr.IsNotFound(err) {
		return found{}, nil
	}
	return found{Resource: seen, Settings: settingsOf(seen), Exists: err == nil, Name: name, Description: "thing " +
		name}, err
}

// lost finds by its tags what an unanswered create has made.
func (e *external) lost(mg *resource) (found, error) {
	var seen item
	err := e.api.read(opList, func(a *account) error {
		for _, i := range a {
			if i.id != 0 && uidOf(i.owner) == string(mg.GetUID()) {
				seen = i
				break
			}
		}
		return nil
	})
	return found{Resource: seen, Settings: settingsOf(seen), Exists: err == nil &&
		seen.id != 0, Name: nameOf(seen.id), Description: "thing " + nameOf(seen.id)}, err
}

func (e *external) owner(
	_ context.Context, _ reconcile.Facts, mg *resource, f found,
) (ownership.Ownership, error) {
	if !e.kind.Tagged {
		v := ownership.CheckUntaggedOwnership(mg, f.Name, asWanted(f.Resource, mg))
		if !v.Manageable() {
			return v, ownership.NewForeignUntaggedError(f.Description, f.Name)
		}
		return v, nil
	}
	named := ownership.UserSetName(mg) || ownership.WroteName(mg)
	claim := ownership.Expected{Kind: kindTag, ClusterID: clusterID, Named: named && meta.GetExternalName(mg) == f.Name}
	tags := tagsOf(f.Resource)
	v := ownership.CheckOwnership(tags, mg, claim)
	if !v.Manageable() {
		return v, ownership.NewForeignError(f.Description, tags, claim)
	}
	return v, nil
}

func (e *external) status(mg *resource, f found) {
	mg.Status.Value = settingsOf(f.Resource).Value
}

func (e *external) desired(_ context.Context, mg *resource) (forProvider, initProvider settings, err error) {
	return wanted(mg), settings{}, nil
}

func (e *external) compare(
	_ context.Context, mg *resource, d reconcile.Desired[settings], f found,
) (reconcile.Comparison[settings], error) {
	c := reconcile.Compare(d.Settings, f.Settings)
	if e.kind.Tagged && uidOf(f.Resource.owner) != string(mg.GetUID()) {
		c.Changes = append(c.Changes, diff.Change{Path: "tags"})
	}
	return c, nil
}

func (e *external) plan(
	_ context.Context, _ *resource, _ found, c reconcile.Comparison[settings],
) (reconcile.Plan, error) {
	var calls []reconcile.PlannedCall
	for _, s := range []struct{ call, path string }{
		{opTag, "tags"},
		{opUpdateValue, "value"},
		{opUpdateSecret, "secret"},
	} {
		if carried := c.Changes.In(s.path); len(carried) > 0 {
			calls = append(calls, reconcile.PlannedCall{Call: s.call, Applies: carried})
		}
	}
	return reconcile.Plan{Changes: c.Changes}.With(calls...), nil
}

func (e *external) create(_ context.Context, mg *resource, _ settings) (reconcile.Result, error) {
	made := item{id: 1, origin: incarnation(mg), value: number(mg.Spec.Value), secret: number(mg.Spec.Secret)}
	if e.kind.Tagged {
		made.owner = made.origin
	}
	err := e.api.write(opCreate, func(a *aws) error {
		if !e.kind.NameGiven && a.now.find(made.id) != nil {
			return errExists
		}
		if e.kind.NameGiven {
			a.ids++
			made.id = a.ids
		}
		a.change(func(a *account) { a.add(made) })
		return nil
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{Name: nameOf(made.id)}, nil
}

func (e *external) update(
	_ context.Context, mg *resource, f found, u reconcile.Update[settings],
) (reconcile.Result, error) {
	return reconcile.Result{}, e.api.write(u.Call, func(a *aws) error {
		if a.now.find(f.Resource.id) == nil {
			return errNotFound
		}
		e.api.touches(u.Call, *a.now.find(f.Resource.id))
		a.change(func(a *account) {
			switch i := a.find(f.Resource.id); u.Call {
			case opUpdateValue:
				i.value = number(mg.Spec.Value)
			case opUpdateSecret:
				i.secret = number(mg.Spec.Secret)
			case opTag:
				i.owner = incarnation(mg)
			}
		})
		return nil
	})
}

func (e *external) delete(_ context.Context, _ *resource, f found) (reconcile.Result, error) {
	return reconcile.Result{}, e.api.write(opDelete, func(a *aws) error {
		if a.now.find(f.Resource.id) == nil {
			return errNotFound
		}
		e.api.touches(opDelete, *a.now.find(f.Resource.id))
		a.change(func(a *account) { a.remove(f.Resource.id) })
		return nil
	})
}

// read reads what AWS shows.
func (a *api) read(op string, f func(*account) error) error {
	return a.env.call(a.leader, call{op: op, of: callRead}, func(late bool) error {
		shown := a.env.aws.now
		if late {
			shown = a.env.aws.before
		}
		return f(&shown)
	})
}

// write changes what AWS has.
func (a *api) write(op string, f func(*aws) error) error {
	return a.env.call(a.leader, call{op: op, of: callWrite}, func(bool) error { return f(&a.env.aws) })
}

// touches is called before an item is changed.
func (a *api) touches(op string, i item) {
	if !i.ours() && !a.env.imports {
		a.env.violatef("%s changes what is somebody else's: %s", op, i)
	}
}

func tagsOf(i item) map[string]string {
	switch i.owner {
	case 0:
		return map[string]string{}
	case someone:
		return map[string]string{
			ownership.TagUID: "another", ownership.TagCluster: "another",
			ownership.TagName: "another",
		}
	}
	return map[string]string{
		ownership.TagUID: uidOf(i.owner), ownership.TagCluster: clusterID, ownership.TagKind: kindTag,
		ownership.TagNamespace: key.Namespace, ownership.TagName: key.Name,
	}
}

func settingsOf(i item) settings {
	return settings{Value: value(i.value), Secret: diff.NewSecret(secret(i.secret))}
}

func asWanted(i item, mg *resource) bool {
	return i.value == number(mg.Spec.Value) && i.secret == number(mg.Spec.Secret)
}

func wanted(mg *resource) settings {
	return settings{Value: mg.Spec.Value, Secret: diff.NewSecret(mg.Spec.Secret)}
}

const (
	valuePrefix  = "value-"
	secretPrefix = "hunter-"
)

func value(n int8) string  { return valuePrefix + strconv.Itoa(int(n)) }
func secret(n int8) string { return secretPrefix + strconv.Itoa(int(n)) }
func uidOf(n int8) string  { return "uid-" + strconv.Itoa(int(n)) }

// number returns the number of a value, a secret or a UID.
func number(s string) int8 {
	n, err := strconv.Atoi(s[len(s)-1:])
	if err != nil {
		panic(err)
	}
	return int8(n) //nolint:gosec // It is one digit.
}

func incarnation(mg *resource) int8 { return number(string(mg.GetUID())) }
