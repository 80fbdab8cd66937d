{{- /* gvList is the pages, one after another. The Makefile splits them at their first lines. */ -}}
{{- define "gvList" -}}
<!-- page README.md -->
<!-- Generated from the API types by `make generate`. Do not edit. -->
# API reference

All fields of all kinds. The same descriptions are shown by `kubectl explain`. How the provider handles a kind is described in [its own page](../README.md).

| Kind | |
| --- | --- |
{{- range . }}{{ $gv := . }}{{ range $gv.SortedKinds }}{{ with $gv.TypeForKind . }}
| [{{ .Name }}]({{ lower .Name }}.md) | {{ .Doc | replace "\n" " " | regexFind "^[^.]*\\." }} |
{{- end }}{{ end }}{{ end }}
{{ range . }}{{ $gv := . }}{{ range $gv.SortedKinds }}{{ template "page" ($gv.TypeForKind .) }}{{ end }}{{ end -}}
{{- end -}}

{{- /* page is a page on a kind, with all types of its fields. */ -}}
{{- define "page" -}}
<!-- page {{ lower .Name }}.md -->
<!-- Generated from the API types by `make generate`. Do not edit. -->
# {{ .Name }}

`apiVersion: {{ .GVK.Group }}/{{ .GVK.Version }}`, `kind: {{ .GVK.Kind }}`
{{ template "section" (dict "type" . "seen" (dict) "first" true) }}
{{- end -}}

{{- /* section describes a type with fields, unless it is described already, and then the types of its fields. */ -}}
{{- define "section" -}}
{{- $type := .type }}{{ $seen := .seen }}
{{- range until 8 }}{{ if not $type.Fields }}{{ with $type.ValueType }}{{ $type = . }}{{ else }}{{ with $type.UnderlyingType }}{{ $type = . }}{{ end }}{{ end }}{{ end }}{{ end }}
{{- if and $type.Fields (not (has $type.Name (list "ObjectMeta" "Time" "Duration"))) (not (hasKey $seen $type.Name)) }}
{{- $_ := set $seen $type.Name true }}
{{- if not .first }}
## {{ $type.Name }}
{{ end }}
{{ $type.Doc | replace "\n" " " }}
{{ with index $type.Markers "kubebuilder:validation:XValidation" }}
Rules:
{{ range . }}
- {{ .Message | default .MessageExpression }}
{{- end }}
{{ end }}
| Field | Type | Description | Default | Validation |
| --- | --- | --- | --- | --- |
{{- range $type.Members }}
| `{{ .Name }}` | {{ template "type" .Type }} | {{ template "text" .Doc }} | {{ markdownRenderDefault .Default }} | {{ template "validation" . }} |
{{- end }}
{{ range $type.Members }}{{ template "section" (dict "type" .Type "seen" $seen "first" false) }}{{ end }}
{{- end }}
{{- end -}}

{{- /* type is the name of a type, with a link to its section if it has one. */ -}}
{{- define "type" -}}
{{- $alias := and .UnderlyingType (not .Fields) -}}
{{- if eq .Name "ObjectMeta" }}{{ markdownRenderTypeLink . }}
{{- else if eq .Name "Time" }}string (RFC 3339)
{{- else if eq .Name "Duration" }}string (such as 90s)
{{- else if .ValueType }}map of {{ template "type" .ValueType }}
{{- else if and $alias (eq (printf "%d" .Kind) "5") }}array of {{ template "type" .UnderlyingType }}
{{- else if $alias }}{{ template "type" .UnderlyingType }}
{{- else if .Fields }}[{{ .Name }}](#{{ lower .Name }})
{{- else if regexMatch "^u?int[0-9]*$" .Name }}integer
{{- else if eq .Name "bool" }}boolean
{{- else if eq (printf "%d" .Kind) "6" }}object
{{- else }}{{ .Name }}{{ end -}}
{{- end -}}

{{- define "text" -}}
{{ . | replace "\n" " " | replace "|" "\\|" | replace "<" "&lt;" }}
{{- end -}}

{{- define "validation" -}}
{{ without .Validation "Optional: {}" "Required: {}" | join ", " | replace "|" "\\|" | replace "<" "&lt;" }}
{{- end -}}
