package serve

import (
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// families reads a page as Prometheus does.
func families(t *testing.T, m *meter) map[string]*dto.MetricFamily {
	t.Helper()
	w := httptest.NewRecorder()
	m.page().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if got := w.Header().Get("Content-Type"); got != string(expfmt.NewFormat(expfmt.TypeTextPlain)) {
		t.Errorf("it is %q", got)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	all, err := parser.TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return all
}

// TestMetrics: the page is what Prometheus reads, and the numbers are those that were
// counted.
func TestMetrics(t *testing.T) {
	m := newMeter()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				m.request("tools/call", "ok", time.Millisecond)
				m.request("tools/call", "failed", 2*time.Minute)
				m.request("a method of\nthe client\"s", "ok", 0)
				m.running.add(1)
				m.running.add(-1)
			}
		})
	}
	group.Wait()
	m.request(listen, "ok", time.Hour)
	m.refused.add(1, "a \"reason\"\n\\")
	m.served.setAll(map[string]float64{"skill": 7})
	m.served.setAll(map[string]float64{"skill": 3})
	m.generation.Store(5)
	all := families(t, m)
	if len(all) != 7 {
		t.Errorf("%d families", len(all))
	}
	for name, want := range map[string]float64{"vade_http_requests_running": 0, "vade_definitions": 3, "vade_generation": 5} {
		if got := all[name].Metric[0].Gauge.GetValue(); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	refused := all["vade_http_refused_total"].Metric[0]
	if refused.Counter.GetValue() != 1 || refused.Label[0].GetValue() != "a \"reason\"\n\\" {
		t.Errorf("refused: %v", refused)
	}
	counted := map[string]float64{}
	for _, one := range all["vade_requests_total"].Metric {
		counted[one.Label[1].GetValue()+" "+one.Label[0].GetValue()] = one.Counter.GetValue()
	}
	if len(counted) != 4 || counted["tools/call ok"] != 800 || counted["tools/call failed"] != 800 || counted["other ok"] != 800 || counted[listen+" ok"] != 1 {
		t.Errorf("requests: %v", counted)
	}
	// A stream is no request that took long.
	if n := len(all["vade_request_seconds"].Metric); n != 2 {
		t.Errorf("%d methods have times", n)
	}
	for _, one := range all["vade_request_seconds"].Metric {
		h := one.Histogram
		if one.Label[0].GetValue() != "tools/call" {
			continue
		}
		if h.GetSampleCount() != 1600 || h.GetSampleSum() < 800*120 || h.GetSampleSum() > 800*121 {
			t.Errorf("times: %v", h)
		}
		before := uint64(0)
		for _, b := range h.Bucket {
			want := uint64(0)
			if b.GetUpperBound() >= 0.001 {
				want = 800
			}
			if b.GetUpperBound() > 120 {
				want = 1600
			}
			if b.GetCumulativeCount() != want || b.GetCumulativeCount() < before {
				t.Errorf("up to %v: %d", b.GetUpperBound(), b.GetCumulativeCount())
			}
			before = b.GetCumulativeCount()
		}
	}
}
