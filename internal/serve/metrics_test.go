package serve

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

func metricsPage(m *meter) string {
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// TestMetrics checks the output that Prometheus scrapes.
func TestMetrics(t *testing.T) {
	m := newMeter()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				m.request("tools/call", "ok", 2*time.Millisecond)
				m.request("tools/call", "-32602", 2*time.Minute)
				m.request("a method of\nthe client\"s", "ok", 0)
				m.add(metricRunning, "", 1)
				m.add(metricRunning, "", -1)
			}
		})
	}
	group.Wait()
	m.request(listen, "ok", time.Hour)
	m.add(metricRefused, `reason="busy"`, 1)
	page := metricsPage(m)
	for _, want := range []string{
		"# HELP vade_generation Generation of the served catalog, starting at 1.\n# TYPE vade_generation gauge\nvade_generation 0\n",
		"# TYPE vade_http_refused_total counter\nvade_http_refused_total{reason=\"busy\"} 1\n",
		"vade_http_requests_running 0\n",
		"vade_reloads_total{outcome=\"done\"} 0\nvade_reloads_total{outcome=\"failed\"} 0\n",
		"# TYPE vade_request_seconds histogram\nvade_request_seconds_bucket{method=\"other\",le=\"0.0005\"} 800\n",
		"vade_request_seconds_bucket{method=\"tools/call\",le=\"0.001\"} 0\nvade_request_seconds_bucket{method=\"tools/call\",le=\"0.0025\"} 800\n",
		"vade_request_seconds_bucket{method=\"tools/call\",le=\"30\"} 800\nvade_request_seconds_bucket{method=\"tools/call\",le=\"+Inf\"} 1600\n",
		"vade_request_seconds_count{method=\"tools/call\"} 1600\n",
		"vade_requests_total{code=\"ok\",method=\"other\"} 800\nvade_requests_total{code=\"ok\",method=\"subscriptions/listen\"} 1\nvade_requests_total{code=\"ok\",method=\"tools/call\"} 800\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, `seconds_count{method="subscriptions/listen"}`) || strings.Contains(page, "client") {
		t.Errorf("a stream has a duration, or a client chose a label:\n%s", page)
	}
}

// TestMetricsDropRemovedKinds checks that the metrics drop the count for a kind
// that no longer has definitions.
func TestMetricsDropRemovedKinds(t *testing.T) {
	s := serverFor(t, project(t, some()))
	st, err := s.acquireLoaded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.release()
	s.meter.setDefinitions(st)
	if page := metricsPage(s.meter); !strings.Contains(page, "vade_definitions{kind=\"command\"} 4\n") {
		t.Fatal(page)
	}
	s.meter.setDefinitions(&state{generation: 2})
	if page := metricsPage(s.meter); !strings.Contains(page, "vade_definitions{kind=\"command\"} 0\n") || !strings.Contains(page, "vade_generation 2\n") {
		t.Error(page)
	}
}
