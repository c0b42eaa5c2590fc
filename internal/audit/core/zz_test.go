package audit

import (
	"fmt"
	"os"
	"testing"

	"github.com/vadehq/vade/internal/audit/rules"
)

func TestZZ(t *testing.T) {
	b, _ := os.ReadFile(os.Getenv("ZZ"))
	rep := Run(pack(rules.Example{{Path: "SKILL.md", Text: string(b)}}, 0), Options{})
	fmt.Println(rep.Set.Dump())
	for _, f := range rep.Findings { fmt.Println(f.ID, f.Severity, f.Message) }
}
