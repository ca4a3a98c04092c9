package dashboard

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
)

const plainStyle = template.CSS(`
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:1rem auto;max-width:80rem;padding:0 1rem}
div{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.5rem 0}
th,td{text-align:right;padding:.35rem .6rem;white-space:nowrap;
border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}
th:first-child,td:first-child{text-align:left}
thead th{font-weight:600;vertical-align:bottom}
.bad{font-weight:700}
`)

// plainStyleHash lets the page use its own style and no other.
var plainStyleHash = func() string {
	sum := sha256.Sum256([]byte(plainStyle))
	return base64.StdEncoding.EncodeToString(sum[:])
}()

const plainText = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>{{.Service}} - Seakeep</title>
<link rel="icon" href="data:,">
<style>{{style}}</style>
</head>
<body>
<h1>{{.Service}}</h1>
<p>{{if .Ready}}Takes new work.{{else}}Draining: takes no new work.{{end}}
Rates and shares are of the last {{ms .WindowMS}}; the page comes anew every 5 seconds.</p>
<div><table>
<caption>Dependencies, the worst first</caption>
<thead><tr><th scope="col">dependency</th><th scope="col">calls/s</th><th scope="col">success</th>
<th scope="col">answered</th><th scope="col">p50</th><th scope="col">p99</th><th scope="col">p99.9</th>
<th scope="col">breaker</th><th scope="col">in flight / limit</th><th scope="col">retries per call</th>
<th scope="col">hedges per call</th><th scope="col">error budget left</th><th scope="col">by fallback</th></tr></thead>
<tbody>
{{range .Dependencies}}<tr{{if ge .Badness 0.5}} class="bad"{{end}}><th scope="row">{{.Name}}</th>
<td>{{rate .Rate}}</td>
<td>{{percent .Success}}</td><td>{{percent .Answered}}</td>
{{with .Latency}}<td>{{ms .P50MS}}</td><td>{{ms .P99MS}}</td><td>{{ms .P999MS}}</td>
{{else}}<td>-</td><td>-</td><td>-</td>{{end}}
<td>{{state .Breaker}}</td><td>{{slots .InFlight .Bulkhead}}</td><td>{{rate .RetryRatio}}</td>
<td>{{rate .HedgeRatio}}</td><td>{{percent .SLOLeft}}</td><td>{{percent .Fallback}}</td></tr>
{{else}}<tr><td colspan="13">The policy file has no dependencies.</td></tr>
{{end}}</tbody></table></div>
{{with .Serve}}<div><table>
<caption>Requests that come in, a second</caption>
<thead><tr><th scope="col">class</th><th scope="col">offered</th><th scope="col">admitted</th>
<th scope="col">shed</th><th scope="col">answered in time</th><th scope="col">waiting</th></tr></thead>
<tbody>{{range .Classes}}<tr><th scope="row">{{.Name}}</th><td>{{rate .Offered}}</td><td>{{rate .Admitted}}</td>
<td>{{rate .Shed}}</td><td>{{rate .InTime}}</td><td>{{.Queued}}</td></tr>
{{end}}</tbody></table></div>{{end}}
<p>This is the plain page. The one with charts is part of a program that was built with <code>make build</code>
where Node is; <code>seakeep top</code> shows the same in a terminal. Data: <a href="/api/v1/snapshot">snapshot</a>,
<a href="/api/v1/history">history</a>, <a href="/api/v1/policy">policy</a>, <a href="/api/v1/slo">objectives</a>,
<a href="/api/v1/audit">orders</a>, <a href="/metrics">metrics</a>.</p>
</body>
</html>
`
