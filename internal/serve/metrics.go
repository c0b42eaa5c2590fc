package serve

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vadehq/vade/definition"
)

// meter collects the server's metrics. Label values never come from clients:
// methods that MCP does not define are counted as "other".
type meter struct {
	mu sync.Mutex
	// values holds counters and gauges by family and labels; durations holds histograms by method.
	values    map[string]map[string]float64
	durations map[string]*histogram
}

// histogram counts durations. buckets[i] is the number of durations up to bucketBounds[i].
type histogram struct {
	count   int
	seconds float64
	buckets []int
}

// Metric names.
const (
	metricServed     = "vade_definitions"
	metricGeneration = "vade_generation"
	metricRefused    = "vade_http_refused_total"
	metricRunning    = "vade_http_requests_running"
	metricReloads    = "vade_reloads_total"
	metricSeconds    = "vade_request_seconds"
	metricRequests   = "vade_requests_total"
)

// families lists the metrics in output order.
var families = []struct{ name, kind, help string }{
	{metricServed, "gauge", "Active definitions, by kind."},
	{metricGeneration, "gauge", "Generation of the served catalog, starting at 1."},
	{metricRefused, "counter", "Refused HTTP requests, by reason."},
	{metricRunning, "gauge", "HTTP requests in progress."},
	{metricReloads, "counter", "Catalog reloads after a change, by outcome."},
	{metricSeconds, "histogram", "Request duration in seconds."},
	{metricRequests, "counter", "MCP requests, by method and outcome."},
}

// bucketBounds lists the buckets' upper bounds, in seconds.
var bucketBounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30}

// meteredMethods lists the methods that are counted under their own names.
var meteredMethods = []string{
	"initialize", "ping", "server/discover", "prompts/list", "prompts/get", "tools/list", "tools/call",
	"resources/list", "resources/templates/list", "resources/read", "resources/directory/read",
	"skills/list", "skills/get", "completion/complete", listen,
}

func newMeter() *meter {
	m := &meter{values: map[string]map[string]float64{}, durations: map[string]*histogram{}}
	m.add(metricRunning, "", 0)
	m.add(metricGeneration, "", 0)
	m.add(metricReloads, `outcome="done"`, 0)
	m.add(metricReloads, `outcome="failed"`, 0)
	return m
}

// add adds n to a counter or gauge. labels is already formatted for the metrics page.
func (m *meter) add(family, labels string, n float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values[family] == nil {
		m.values[family] = map[string]float64{}
	}
	m.values[family][labels] += n
}

// request counts a request and records its duration. It does not record durations for streams,
// which last as long as the client keeps them open.
func (m *meter) request(method, code string, duration time.Duration) {
	if !slices.Contains(meteredMethods, method) {
		method = "other"
	}
	m.add(metricRequests, fmt.Sprintf("code=%q,method=%q", code, method), 1)
	if method == listen {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.durations[method]
	if h == nil {
		h = &histogram{buckets: make([]int, len(bucketBounds))}
		m.durations[method] = h
	}
	h.count++
	h.seconds += duration.Seconds()
	for i, end := range bucketBounds {
		if duration.Seconds() <= end {
			h.buckets[i]++
		}
	}
}

// setDefinitions sets the gauges that count definitions. It sets kinds without definitions to 0.
func (m *meter) setDefinitions(st *state) {
	m.mu.Lock()
	defer m.mu.Unlock()
	counts := map[string]float64{}
	for labels := range m.values[metricServed] {
		counts[labels] = 0
	}
	kinds := map[definition.Kind]float64{}
	for _, d := range st.definitions {
		kinds[d.Kind()]++
	}
	for kind, n := range kinds {
		counts[fmt.Sprintf("kind=%q", kind)] = n
	}
	m.values[metricServed] = counts
	m.values[metricGeneration][""] = float64(st.generation)
}

// ServeHTTP serves the metrics in the Prometheus text format.
func (m *meter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	var b strings.Builder
	for _, f := range families {
		if len(m.values[f.name]) == 0 && (f.name != metricSeconds || len(m.durations) == 0) {
			continue
		}
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		for _, labels := range slices.Sorted(maps.Keys(m.values[f.name])) {
			name := f.name
			if labels != "" {
				name += "{" + labels + "}"
			}
			fmt.Fprintf(&b, "%s %s\n", name, number(m.values[f.name][labels]))
		}
		if f.name != metricSeconds {
			continue
		}
		for _, method := range slices.Sorted(maps.Keys(m.durations)) {
			h := m.durations[method]
			for i, end := range bucketBounds {
				fmt.Fprintf(&b, "%s_bucket{method=%q,le=%q} %d\n", f.name, method, number(end), h.buckets[i])
			}
			fmt.Fprintf(&b, "%s_bucket{method=%q,le=\"+Inf\"} %d\n", f.name, method, h.count)
			fmt.Fprintf(&b, "%s_sum{method=%q} %s\n", f.name, method, number(h.seconds))
			fmt.Fprintf(&b, "%s_count{method=%q} %d\n", f.name, method, h.count)
		}
	}
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	fmt.Fprint(w, b.String())
}

func number(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }
