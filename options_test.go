package vade

import (
	"io/fs"
	"reflect"
	"testing"
	"testing/fstest"
	"time"
)

// TestOptionsReachTheEngine sets every field in Options and checks that the
// engine's options contain it.
func TestOptionsReachTheEngine(t *testing.T) {
	o := Options{
		Dir: "d", As: "a", Nested: true, Home: "h", ManagedDir: "m", PluginDirs: []string{"p"},
		Layers: []LayerFS{{Layer: Project, Name: "n", FS: fs.FS(fstest.MapFS{})}}, Isolated: true, MaxSkills: 1, MaxSkillBytes: 2,
		Shell: ShellOptions{Off: true}, Remote: true, Bundled: fstest.MapFS{},
		Getenv: func(string) string { return "" }, Now: func() time.Time { return time.Time{} },
	}
	from, to := reflect.ValueOf(o), reflect.ValueOf(o.engine())
	for i := range from.NumField() {
		name := from.Type().Field(i).Name
		got := to.FieldByName(name)
		if from.Field(i).IsZero() {
			t.Errorf("the test does not set %s", name)
		} else if !got.IsValid() || got.IsZero() {
			t.Errorf("%s does not reach the engine", name)
		}
	}
}
