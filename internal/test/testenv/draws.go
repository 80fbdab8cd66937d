package testenv

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Canary is part of every secret in a fuzzed resource or response.
const Canary = "hunter2canary"

// Draws turn the bytes of a fuzzer into choices: the same bytes give the same choices. Once they are used up, the
// first choice is made each time.
type Draws struct{ rest []byte }

// NewDraws returns draws from the bytes of a fuzzer.
func NewDraws(b []byte) *Draws { return &Draws{rest: b} }

// N returns a choice among n, from 0 on.
func (d *Draws) N(n int) int {
	if len(d.rest) == 0 || n <= 1 {
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return int(b) % n
}

// Over reports whether no bytes are left.
func (d *Draws) Over() bool { return len(d.rest) == 0 }

// text returns a text of the fuzzer's own bytes, as UTF-8, since JSON decoders replace other bytes.
func (d *Draws) text() string {
	n := min(d.N(1+math.MaxInt8), len(d.rest))
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return strings.ToValidUTF8(s, "\uFFFD")
}

// texts are texts in AWS's responses, some of which belong together.
var texts = []string{
	"", "f", "cart", "live", "1", "2", "$LATEST", "*", "lambda.amazonaws.com", "123456789012", "null", "{}",
	"arn:aws:lambda:eu-central-1:123456789012:function:f",
	"arn:aws:lambda:eu-central-1:123456789012:function:cart:live", "arn:aws:lambda:::", "arn", ":::::::::",
	"arn:aws:lambda:eu-central-1:123456789012:layer:base:1",
	"arn:aws:lambda:eu-central-1:123456789012:code-signing-config:csc-0123456789abcdef0",
	"arn:aws:lambda:eu-central-1:123456789012:event-source-mapping:11111111-2222-3333-4444-555555555555",
	"arn:aws:sqs:eu-central-1:123456789012:q",
	"2026-01-02T03:04:05.000+0000", "2026-13-41T99:99:99", "Active", "Enabled", "Creating", "Failed", "READY",
	`{"Version":"2012-10-17","Statement":[{"Sid":"s","Effect":"Allow","Principal":"*","Action":"lambda:InvokeFunction","Resource":"*"}]}`, `{"Statement":`,
	"\x00", "ü💥", Cluster, ownership.TagUID, ownership.TagCluster, ownership.TagNamespace, ownership.TagName,
}

// Text returns a known or an arbitrary text.
func (d *Draws) Text() string {
	if i := d.N(len(texts) + 1); i < len(texts) {
		return texts[i]
	}
	return d.text()
}

var numbers = []int64{0, 1, 2, -1, 3, 5, 128, 900, 1024, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64}

// fill sets a value by choice. Pointers, lists and maps are nil once no bytes are left.
func (d *Draws) fill(v reflect.Value, checkNoSecret bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if d.N(4) == 0 { //nolint:mnd // One in four.
			v.SetZero()
			return
		}
		p := reflect.New(v.Type().Elem())
		d.fill(p.Elem(), checkNoSecret)
		v.Set(p)
	case reflect.Struct:
		d.fillStruct(v)
	case reflect.Slice:
		d.fillSlice(v, checkNoSecret)
	case reflect.Map:
		d.fillMap(v, checkNoSecret)
	case reflect.String:
		v.SetString(d.textOf(v, checkNoSecret))
	case reflect.Bool:
		v.SetBool(d.N(2) == 1)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(numbers[d.N(len(numbers))])
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, 0.1, -1, math.NaN(), math.Inf(1)}[d.N(6)])
	}
}

func (d *Draws) fillStruct(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		if n := d.N(4); n > 0 {
			v.Set(reflect.ValueOf(Start.Add(time.Duration(n-2) * time.Hour)))
		}
		return
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Name != "ResultMetadata" {
			d.fill(v.Field(i), secretField(f.Name))
		}
	}
}

func (d *Draws) fillSlice(v reflect.Value, checkNoSecret bool) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte(d.textOf(reflect.ValueOf(""), checkNoSecret)))
		return
	}
	s := reflect.MakeSlice(v.Type(), d.N(4), 3) //nolint:mnd // None, or some.
	for i := range s.Len() {
		d.fill(s.Index(i), checkNoSecret)
	}
	v.Set(s)
}

func (d *Draws) fillMap(v reflect.Value, checkNoSecret bool) {
	m := reflect.MakeMap(v.Type())
	for range d.N(4) { //nolint:mnd // None, or some.
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		d.fill(key, false)
		d.fill(value, checkNoSecret)
		m.SetMapIndex(key, value)
	}
	v.Set(m)
}

// textOf returns a value of a string type: one of its enum values if it has any, otherwise any text.
func (d *Draws) textOf(v reflect.Value, checkNoSecret bool) string {
	if checkNoSecret {
		return Canary + d.Text()
	}
	values := v.MethodByName("Values")
	if !values.IsValid() || d.N(5) == 4 { //nolint:mnd // One in five is none of them.
		return d.Text()
	}
	all := values.Call(nil)[0]
	return all.Index(d.N(all.Len())).String()
}

// edit edits a value: most of it is unchanged.
func (d *Draws) edit(v reflect.Value, checkNoSecret bool) {
	if d.Over() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct {
			d.edit(v.Elem(), checkNoSecret)
			return
		}
	case reflect.Struct:
		if v.Type() != reflect.TypeFor[time.Time]() {
			d.editStruct(v)
			return
		}
	case reflect.Slice:
		if v.Len() > 0 && d.N(2) == 0 {
			for i := range v.Len() {
				d.edit(v.Index(i), checkNoSecret)
			}
			return
		}
	}
	d.fill(v, checkNoSecret)
}

func (d *Draws) editStruct(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || f.Name == "ResultMetadata" {
			continue
		}
		switch d.N(6) { //nolint:mnd // Most stay.
		case 4: //nolint:mnd // One in six.
			v.Field(i).SetZero()
		case 5: //nolint:mnd // One in six.
			d.edit(v.Field(i), secretField(f.Name))
		}
	}
}

// secretField reports whether the values of a field are secret.
func secretField(name string) bool {
	return slices.Contains([]string{"Variables", "ZipFile", "variables", "inline", "payload", "zipFile", "value"}, name)
}
