package code

import (
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
)

// effects maps the name of each effect in calls.txt to a function that evaluates calls with this
// effect and returns their results.
var effects struct {
	once  sync.Once
	table map[string]func(*reader, *call) value
}

func makeEffects() {
	effects.table = map[string]func(*reader, *call) value{}
	for names, do := range map[string]func(*reader, *call) value{
		"shell":                               (*reader).runsShell,
		"exec":                                (*reader).runsProgram,
		"eval":                                (*reader).evaluates,
		"load objects memory":                 (*reader).loads,
		"module":                              (*reader).module,
		"fetch download get send client post": (*reader).requests,
		"put":                                 (*reader).puts,
		"dns":                                 (*reader).resolvesHost,
		"connect listen":                      (*reader).connects,
		"dup":                                 (*reader).duplicates,
		"target":                              (*reader).targets,
		"env envall":                          (*reader).readsEnvironment,
		"open openpath openwrite archive":     (*reader).opens,
		"read":                                (*reader).reads,
		"write":                               (*reader).writes,
		"copy":                                (*reader).copies,
		"delete":                              (*reader).deletes,
		"walk":                                (*reader).walks,
		"secret keys model":                   (*reader).secrets,
		"encrypt encode":                      (*reader).encodes,
		"same":                                (*reader).identity,
		"list":                                (*reader).lists,
		"join":                                (*reader).joins,
		"concat path":                         (*reader).concats,
		"reverse lower upper replace substr slice": (*reader).changesText,
		"split":         (*reader).splits,
		"chars":         (*reader).chars,
		"int ord":       (*reader).numbers,
		"map":           (*reader).maps,
		"format":        (*reader).formats,
		"json":          (*reader).writesJSON,
		"add header":    (*reader).adds,
		"print nothing": (*reader).prints,
		"home":          (*reader).home,
	} {
		for name := range strings.FieldsSeq(names) {
			effects.table[name] = do
		}
	}
}

// effect evaluates a call according to its row in calls.txt.
func (c *reader) effect(k *call) value {
	c.steps += k.recv.size()
	for i := range k.args {
		c.steps += k.args[i].size()
	}
	for i := range k.keys {
		c.steps += k.keys[i].size()
	}
	c.checkTLSOptions(k)
	if k.row == nil || c.steps > maxSteps {
		return c.unknownCall(k)
	}
	if how, ok := strings.CutPrefix(k.row.effect, "decode:"); ok {
		return c.decodes(k, how)
	}
	effects.once.Do(makeEffects)
	if do := effects.table[k.row.effect]; do != nil {
		return do(c, k)
	}
	return c.unknownCall(k)
}

// wordLists maps the name of each word list in calls.txt to its words.
var wordLists = sync.OnceValue(func() map[string]map[string]bool {
	table := map[string]map[string]bool{}
	for line := range strings.Lines(callsText) {
		if rest, ok := strings.CutPrefix(line, "words : "); ok {
			list, words, _ := strings.Cut(rest, " : ")
			table[list] = map[string]bool{}
			for word := range strings.FieldsSeq(words) {
				table[list][word] = true
			}
		}
	}
	return table
})

// wordIs reports whether a word is in the named list, ignoring case.
func wordIs(word, list string) bool { return wordLists()[list][strings.ToLower(word)] }

// readsEnvironment handles calls that read environment variables. A call that
// names no variable reads all of them.
func (c *reader) readsEnvironment(k *call) value {
	if len(k.args) > 0 && k.row.effect == "env" {
		return c.variable(k.mainArg(), k.n)
	}
	out := value{name: k.name, sources: []source{allVariables()}}
	c.callbacks(k, out)
	return out
}

// home handles calls that return the home directory.
func (c *reader) home(k *call) value { return value{text: "~", known: true, name: k.name} }

// secrets handles calls that return a secret, user input or a model's response.
func (c *reader) secrets(k *call) value {
	s := source{kind: secret, tags: k.row.tags, name: k.name}
	switch k.row.effect {
	case "keys":
		s.kind = keystrokes
	case "model":
		s.kind = model
	default:
		if !slices.Contains(s.tags, "host-info") {
			c.addSignal(signal.Read, k.n, c.excerpt(k.n), "", s.tags...)
		}
	}
	out := value{sources: []source{s}, name: k.name}
	c.callbacks(k, value{sources: out.sources})
	return out
}

// prints handles calls that print their arguments. The model can see what they print.
func (c *reader) prints(k *call) value {
	in := k.allSources()
	for _, s := range filterSources(in, secret) {
		plain := slices.Contains(s.tags, "file") || slices.Contains(s.tags, "host-info")
		if k.row.effect == "print" && !s.header && !plain {
			c.addSignal(signal.Read, k.n, c.excerpt(k.n), shorten(s.name), append(slices.Clone(s.tags), "printed")...)
		}
	}
	return value{}
}
