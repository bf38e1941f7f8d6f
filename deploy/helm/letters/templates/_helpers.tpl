{{- define "letters.name" -}}
{{- .Release.Name | trunc 30 | trimSuffix "-" -}}
{{- end -}}

{{- define "letters.labels" -}}
app.kubernetes.io/name: letters
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "letters.selector" -}}
app.kubernetes.io/name: letters
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "letters.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "letters.claim" -}}
{{- .Values.data.existingClaim | default (printf "%s-data" (include "letters.name" .)) -}}
{{- end -}}
