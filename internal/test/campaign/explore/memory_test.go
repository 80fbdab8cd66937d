package explore

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// memory is what a process remembers of the resource. It is copied by reflection, so that
// new fields of the reconciler become part of the state by themselves.
type memory struct {
	// record is the reconciler's, the value of a pointer to its type; invalid if there is
	// none.
	record reflect.Value
	text   string
}

// ignored are the fields that only affect metrics.
var ignored = map[string]bool{"drift": true, "wasReady": true, "changes": true}

const (
	// maxNumber bounds counters: beyond it, the reconciler behaves as at it.
	maxNumber = 8

	// maxMemory bounds how far back times are remembered, for the same reason.
	maxMemory = 4 * time.Hour
)

// process is the reconciler of one leader, and its memory.
type process struct {
	reconcile.Reconciler

	records reflect.Value // map[types.NamespacedName]*record
	objects reflect.Value // map[types.NamespacedName]known
}

// newProcess opens the memory of a reconciler. It panics if it finds an unknown field.
func newProcess(r reconcile.Reconciler) *process {
	rec := reflect.ValueOf(r).Elem()
	mem, kube := field(rec, "states").Elem(), field(rec, "kube").Elem()
	only(mem, "mu", "states")
	only(kube, "Client", "live", "ofShard", "kind", "mu", "objects")
	objects := field(kube, "objects")
	only(reflect.Zero(objects.Type().Elem()), "newest", "stale", "deferred")
	return &process{Reconciler: r, records: field(mem, "states"), objects: objects}
}

func only(v reflect.Value, known ...string) {
	for i := range v.NumField() {
		if n := v.Type().Field(i).Name; !slices.Contains(known, n) {
			panic(fmt.Sprintf("%s has a field %s: if something is remembered in it, make it part of the state",
				v.Type(), n))
		}
	}
}

// field returns a field of a struct, exported or not.
func field(v reflect.Value, name string) reflect.Value {
	f := v.FieldByName(name)
	if !f.IsValid() {
		panic(fmt.Sprintf("%s has no field %s any more", v.Type(), name))
	}
	return open(f)
}

// open makes a field readable and writable.
func open(f reflect.Value) reflect.Value {
	return reflect.NewAt(f.Type(), //nolint:gosec // What is copied is of another package.
		unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// remember restores the memory of a process.
func (p *process) remember(m *memory, written int8, stale bool) {
	p.objects.Clear()
	p.records.Clear()
	if m != nil && m.record.IsValid() {
		p.records.SetMapIndex(reflect.ValueOf(key), clone(m.record, 0))
	}
	if written == 0 && !stale {
		return
	}
	known := reflect.New(p.objects.Type().Elem()).Elem()
	if written > 0 {
		field(known, "newest").SetString(strconv.Itoa(int(written)))
	}
	field(known, "stale").SetBool(stale)
	p.objects.SetMapIndex(reflect.ValueOf(key), known)
}

// memory returns the memory of the process, the given time later. Its text identifies it.
func (p *process) memory(later time.Duration) (m memory, written int8, stale bool) {
	if r := p.records.MapIndex(reflect.ValueOf(key)); r.IsValid() {
		m = memoryAt(memory{record: r}, later)
	}
	known := p.objects.MapIndex(reflect.ValueOf(key))
	if !known.IsValid() {
		return m, 0, false
	}
	if !known.FieldByName("deferred").IsNil() {
		panic("kube.Client remembers a deferred status beyond a step: make it part of the state")
	}
	if w := known.FieldByName("newest").String(); w != "" {
		n, err := strconv.Atoi(w)
		if err != nil {
			panic(err)
		}
		written = int8(n) //nolint:gosec // Versions are counted anew in each state.
	}
	return m, written, known.FieldByName("stale").Bool()
}

// memoryAt returns a memory the given time later.
func memoryAt(m memory, later time.Duration) memory {
	if !m.record.IsValid() {
		return m
	}
	r := clone(m.record, later)
	var b strings.Builder
	describe(&b, r)
	return memory{record: r, text: b.String()}
}

var (
	timeType  = reflect.TypeFor[time.Time]()
	mutexType = reflect.TypeFor[sync.Mutex]()
)

// clone returns a copy of a value with all times moved back. Numbers and times beyond
// their bounds are set to them.
func clone(v reflect.Value, earlier time.Duration) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch {
	case v.Type() == mutexType:
		return out
	case v.Type() == timeType:
		t, _ := v.Interface().(time.Time)
		out.Set(reflect.ValueOf(bounded(t, earlier, maxMemory)))
		return out
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(clone(v.Elem(), earlier))
		}
	case reflect.Struct:
		out.Set(v)
		for i := range v.NumField() {
			if ignored[v.Type().Field(i).Name] {
				open(out.Field(i)).SetZero()
				continue
			}
			f := open(out.Field(i))
			f.Set(clone(f, earlier))
		}
	case reflect.Map:
		if v.Len() > 0 {
			out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
			for it := v.MapRange(); it.Next(); {
				value := reflect.New(v.Type().Elem()).Elem()
				value.Set(it.Value())
				out.SetMapIndex(it.Key(), clone(value, earlier))
			}
		}
	case reflect.Slice:
		if v.Len() > 0 {
			out.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
		}
	case reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(clone(v.Index(i), earlier))
		}
	case reflect.Int:
		out.SetInt(min(v.Int(), maxNumber))
	case reflect.Bool, reflect.String:
		out.Set(v)
	default:
		panic(fmt.Sprintf("cannot make a %s part of the state", v.Type()))
	}
	return out
}

// describe writes a text of a value that is the same for equal ones.
func describe(b *strings.Builder, v reflect.Value) {
	switch {
	case v.Type() == mutexType:
		return
	case v.Type() == timeType:
		t, _ := v.Interface().(time.Time)
		b.WriteString(strconv.FormatInt(t.Unix(), 36))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			describe(b, v.Elem())
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			describe(b, open(f))
			b.WriteByte(',')
		}
	case reflect.Map:
		texts := map[string]string{}
		for it := v.MapRange(); it.Next(); {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(it.Value())
			var e strings.Builder
			describe(&e, value)
			texts[it.Key().String()] = e.String()
		}
		for _, k := range slices.Sorted(maps.Keys(texts)) {
			b.WriteString(k + "=" + texts[k] + ";")
		}
	default:
		_, _ = fmt.Fprintf(b, "%v", v)
	}
}

// bounded returns a time moved back, limited to a maximum age. An unknown one stays
// unknown.
func bounded(t time.Time, earlier, most time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	t = t.Add(-earlier)
	if oldest := epoch.Add(-most); t.Before(oldest) {
		return oldest
	}
	return t
}
