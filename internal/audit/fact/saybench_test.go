package fact

import (
	"strings"
	"testing"
)

func BenchmarkStand(b *testing.B) {
	text := strings.Repeat("## Usage\n\nRun `make` first, then open the file that you want to see. If it is not there, tell the user about it.\n\n- Check the result of the command before you continue\n- Never skip the tests\n\n```bash\n# build\nmake build\n```\n\n", 40)
	f := &Facts{Package: &Package{Files: []*File{{Path: "SKILL.md", Raw: []byte(text), Text: text, Role: Main}}}}
	list := markdown(0, text, 0, Standing{})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		f.Regions, f.Sayings = append([]Region(nil), list...), nil
		f.stand(f.Regions)
	}
}
