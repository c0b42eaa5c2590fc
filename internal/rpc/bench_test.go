package rpc_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// BenchmarkGet measures round trips to a vade process. One operation is one request.
func BenchmarkGet(b *testing.B) {
	program := filepath.Join(b.TempDir(), "vade")
	build := exec.Command("go", "build", "-o", program, "../../cmd/vade")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	dir, home := project(b, some()), b.TempDir()
	for _, concurrent := range []int{1, 100} {
		b.Run(fmt.Sprint(concurrent), func(b *testing.B) {
			server := exec.Command(program, "rpc")
			server.Stderr = os.Stderr
			in, err := server.StdinPipe()
			if err != nil {
				b.Fatal(err)
			}
			out, err := server.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := server.Start(); err != nil {
				b.Fatal(err)
			}
			c := &client{tb: b, in: in, waiting: map[string]chan response{}, told: make(chan response, 100)}
			go c.receive(out)
			params := p{"catalog": c.opened(p{"protocol": 1, "dir": dir, "home": home}), "kind": "skill", "name": "go-style"}
			c.must("get", params)
			requests := make(chan struct{}, concurrent)
			var working sync.WaitGroup
			for range concurrent {
				working.Go(func() {
					for range requests {
						if _, err := c.call("get", params); err != nil {
							b.Errorf("get: %v", err)
						}
					}
				})
			}
			for b.Loop() {
				requests <- struct{}{}
			}
			close(requests)
			working.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			in.Close()
			if err := server.Wait(); err != nil {
				b.Error(err)
			}
		})
	}
}
