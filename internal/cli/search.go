package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/remote"
	"github.com/vadehq/vade/internal/search"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/terminal"
)

// searchFlags holds the flags for vade search.
type searchFlags struct {
	search.Options
	kinds     []definition.Kind
	installed bool
}

func (a *app) search() *cobra.Command {
	var f searchFlags
	c := &cobra.Command{
		Use: "search WORDS…", Short: "Search definitions by name, description and content",
		Long: `Rank definitions by how well their names, descriptions and bodies match WORDS, best
first. Other forms of a word and parts of identifiers also match: "deploying" finds
"deploy", and "user name" finds getUserName. Near-duplicates of a result are counted but
not printed. Definitions that match only a few of the words are left out.

Results include definitions from your MCP servers (vade remote), which are marked "?"
until you approve them.

Exit codes: 0 success, 1 no match, 2 invalid usage.`,
		Example: `  vade search code review
  vade search --kind agent "postgres query tuning"
  vade search --installed --limit 3 release notes
  vade search deploy --json | jq -r '.results[].definition.path'`,
		Args: checkArgs("specify one or more words: vade search code review"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runSearch(c.Context(), f, strings.Join(args, " "))
		},
	}
	kindFlag(c, &f.kinds, "find")
	c.Flags().IntVar(&f.Limit, "limit", 10, "print at most `N` results")
	c.Flags().BoolVarP(&f.Copies, "all", "a", false, "print near-duplicates as separate results")
	c.Flags().BoolVar(&f.installed, "installed", false, "search only installed definitions, not MCP servers")
	a.viewFlags(c)
	a.viewFlag(c)
	return c
}

// searchResult is the JSON form of a search result.
type searchResult struct {
	Definition catalog.Definition `json:"definition"`
	// Score is between 0 and 1. Scores are comparable only within a single search.
	Score float64 `json:"score"`
	// Alike lists the files of near-duplicates.
	Alike []string `json:"alike,omitempty"`
}

func (a *app) runSearch(ctx context.Context, f searchFlags, query string) error {
	if f.Limit < 1 {
		return usage{failure{fmt.Sprintf("--limit %d: must be at least 1", f.Limit), "omit --limit for 10 results"}}
	}
	collectLater()
	cat, err := a.open(ctx, catalog.Options{Remote: !f.installed})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("reading definitions")
	defer progress.Done()
	// Include definitions from servers, which are inactive until the user approves them.
	list, err := cat.List(ctx, catalog.Query{All: !f.installed})
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(d catalog.Definition) bool {
		return d.State() != definition.Loaded && d.Layer() != catalog.MCP
	})
	f.Accept = func(d catalog.Definition) bool { return len(f.kinds) == 0 || slices.Contains(f.kinds, d.Kind()) }
	found, err := search.New(list, search.DefaultWeights()).Search(ctx, query, f.Options)
	progress.Done()
	if err != nil {
		return err
	}
	if !f.installed {
		diagnostics, err := cat.Diagnostics(ctx)
		if err != nil {
			return err
		}
		if err := a.printProblems(slices.DeleteFunc(slices.Clone(diagnostics), func(d diag.Diagnostic) bool {
			return d.Severity == diag.Info || d.Code == diag.RemoteUntrusted || !strings.HasPrefix(d.File, remote.Scheme)
		})); err != nil {
			return err
		}
	}
	if a.json {
		results := []searchResult{}
		for _, r := range found.Results {
			s := searchResult{Definition: r.Definition, Score: r.Score}
			for _, d := range r.Alike {
				s.Alike = append(s.Alike, d.Path())
			}
			results = append(results, s)
		}
		err = a.printJSON(struct {
			Results []searchResult `json:"results"`
			More    int            `json:"more"`
		}{results, found.More})
	} else {
		searched := slices.DeleteFunc(slices.Clone(list), func(d catalog.Definition) bool { return !f.Accept(d) })
		a.printFound(found, len(searched))
		words := strings.Fields(query)
		if listed, err := cat.List(ctx, catalog.Query{Words: words}); len(found.Results) == 0 && err == nil && len(listed) > 0 {
			for i, w := range words {
				words[i] = shell.ForShell(w)
			}
			fmt.Fprintln(a.stdout(), "some names or descriptions contain this text; to list those definitions, run: vade list "+strings.Join(words, " "))
		}
	}
	return failIf(len(found.Results) == 0, err)
}

func (a *app) printFound(found *search.Found, searched int) {
	out := a.stdout()
	if len(found.Results) == 0 {
		fmt.Fprintf(out, "no match; searched %s\n", plural(searched, "definition"))
		return
	}
	t := terminal.Table{Columns: []terminal.Column{
		{}, {Title: "KIND", Style: terminal.Dim}, {Title: "NAME", Style: terminal.Bold}, {Title: "LAYER", Style: terminal.Dim},
		{Title: "ALIKE", Style: terminal.Dim}, {Title: "DESCRIPTION", Flexible: true},
	}}
	near := 0
	for _, r := range found.Results {
		near += len(r.Alike)
	}
	if near == 0 {
		t.Columns = slices.Delete(t.Columns, 4, 5)
	}
	for _, r := range found.Results {
		mark := terminal.Cell{}
		switch {
		case r.State() != definition.Loaded:
			mark = terminal.Cell{Text: "?", Style: terminal.Yellow}
		case r.ComesWithVade():
			mark = terminal.Cell{Text: "+", Style: terminal.Dim}
		}
		cells := []any{mark, r.Kind(), r.Name(), r.Layer()}
		if n := len(r.Alike); n > 0 {
			cells = append(cells, fmt.Sprintf("+%d", n))
		} else if near > 0 {
			cells = append(cells, "")
		}
		t.Row(append(cells, r.Description())...)
	}
	t.Print(out)
	if near > 0 {
		out.Line(terminal.Dim, "%s hidden; use --all to show all results", plural(near, "near-duplicate"))
	}
	if found.More > 0 {
		out.Line(terminal.Dim, "%d more; use --limit %d to show all", found.More, len(found.Results)+found.More)
	}
}
