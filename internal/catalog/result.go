package catalog

import (
	"time"
)

func (c *Catalog) timestamp() string { return c.Options.Now().UTC().Format(time.RFC3339) }

// kilobytes returns a size in KiB with one decimal; what is not empty is at
// least 0.1.
func kilobytes(size int64) float64 {
	tenths := (size*10 + 512) / 1024
	if size > 0 {
		tenths = max(tenths, 1)
	}
	return float64(tenths) / 10
}
