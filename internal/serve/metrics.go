package serve

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// meter counts what the server does, with no word that a client chooses: what is not
// a method of the protocol is "other".
type meter struct {
	requests, seconds, refused, running, reloads, served *metric
	// generation is that of the store in force.
	generation atomic.Uint64
}

func newMeter() *meter {
	m := &meter{
		requests: newMetric(dto.MetricType_COUNTER, "vade_requests_total", "Requests of the protocol, by method and outcome.", "code", "method"),
		seconds:  newMetric(dto.MetricType_HISTOGRAM, "vade_request_seconds", "How long requests took.", "method"),
		refused:  newMetric(dto.MetricType_COUNTER, "vade_http_refused_total", "HTTP requests that were refused, by reason.", "reason"),
		running:  newMetric(dto.MetricType_GAUGE, "vade_http_requests_running", "HTTP requests that are being answered."),
		reloads:  newMetric(dto.MetricType_COUNTER, "vade_reloads_total", "Readings of the definitions after a change, by outcome.", "outcome"),
		served:   newMetric(dto.MetricType_GAUGE, "vade_definitions", "Definitions in force, by kind.", "kind"),
	}
	m.running.add(0)
	for _, outcome := range []string{"done", "failed"} {
		m.reloads.add(0, outcome)
	}
	return m
}

// metered are the methods that have a name of their own among the metrics.
func metered(method string) string {
	known := []string{
		"initialize", "ping", "server/discover", "prompts/list", "prompts/get", "tools/list", "tools/call", "resources/list",
		"resources/templates/list", "resources/read", "resources/directory/read", "skills/list", "skills/get", "completion/complete", listen,
	}
	if slices.Contains(known, method) {
		return method
	}
	return "other"
}

func (m *meter) request(method, code string, took time.Duration) {
	method = metered(method)
	m.requests.add(1, code, method)
	if method != listen {
		m.seconds.observe(took.Seconds(), method)
	}
}

// page shows the metrics as Prometheus reads them.
func (m *meter) page() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		generation := newMetric(dto.MetricType_GAUGE, "vade_generation", "The number of the reading that is served.")
		generation.add(float64(m.generation.Load()))
		format := expfmt.NewFormat(expfmt.TypeTextPlain)
		w.Header().Set("Content-Type", string(format))
		text := expfmt.NewEncoder(w, format)
		for _, one := range []*metric{m.served, generation, m.refused, m.running, m.reloads, m.seconds, m.requests} {
			if family := one.family(); len(family.Metric) > 0 && text.Encode(family) != nil {
				return
			}
		}
	})
}

// metric is one metric, with a row for each set of values that its labels have had. The
// text is written by Prometheus' client library; its registry is not used, since it costs
// every command a millisecond at its start.
type metric struct {
	kind       dto.MetricType
	name, help string
	labels     []string

	mu   sync.Mutex
	rows map[string]*row
}

type row struct {
	values []string
	value  float64
	// count and buckets are those of a histogram, of which value is the sum; each
	// observation stands in one bucket alone, in none where it is beyond all.
	count   uint64
	buckets []uint64
}

func newMetric(kind dto.MetricType, name, help string, labels ...string) *metric {
	return &metric{kind: kind, name: name, help: help, labels: labels, rows: map[string]*row{}}
}

// bounds are the upper ends of the buckets in seconds.
func bounds() []float64 {
	return []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30}
}

// row returns the row of values, in the order of the labels; mu is held.
func (m *metric) row(values []string) *row {
	key := strings.Join(values, "\x00")
	r := m.rows[key]
	if r == nil {
		r = &row{values: values}
		m.rows[key] = r
	}
	return r
}

func (m *metric) add(n float64, values ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.row(values).value += n
}

// setAll sets the values of the only label; the ones that are not there any more become
// 0.
func (m *metric) setAll(now map[string]float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rows {
		r.value = 0
	}
	for label, n := range now {
		m.row([]string{label}).value = n
	}
}

func (m *metric) observe(n float64, values ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ends := m.row(values), bounds()
	if r.buckets == nil {
		r.buckets = make([]uint64, len(ends))
	}
	r.count++
	r.value += n
	if i, _ := slices.BinarySearch(ends, n); i < len(ends) {
		r.buckets[i]++
	}
}

// family is the metric as it is written.
func (m *metric) family() *dto.MetricFamily {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := &dto.MetricFamily{Name: &m.name, Help: &m.help, Type: &m.kind}
	for _, key := range slices.Sorted(maps.Keys(m.rows)) {
		r := m.rows[key]
		value, out := r.value, &dto.Metric{}
		for i := range m.labels {
			out.Label = append(out.Label, &dto.LabelPair{Name: &m.labels[i], Value: &r.values[i]})
		}
		switch m.kind {
		case dto.MetricType_COUNTER:
			out.Counter = &dto.Counter{Value: &value}
		case dto.MetricType_GAUGE:
			out.Gauge = &dto.Gauge{Value: &value}
		case dto.MetricType_HISTOGRAM:
			out.Histogram = r.histogram()
		}
		f.Metric = append(f.Metric, out)
	}
	return f
}

func (r *row) histogram() *dto.Histogram {
	count, sum, below := r.count, r.value, uint64(0)
	h := &dto.Histogram{SampleCount: &count, SampleSum: &sum}
	for i, end := range bounds() {
		below += r.buckets[i]
		to, so := end, below
		h.Bucket = append(h.Bucket, &dto.Bucket{UpperBound: &to, CumulativeCount: &so})
	}
	return h
}
