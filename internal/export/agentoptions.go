package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/jsonc"
)

// SDKAgent is one agent as the SDK's type AgentDefinition has it (0.3.329).
type SDKAgent struct {
	Description string `json:"description"`
	Prompt      string `json:"prompt"`
	// Tools are those that the agent may use: nil is all of them, and an empty list
	// none.
	Tools           []string `json:"tools,omitzero"`
	DisallowedTools []string `json:"disallowedTools,omitempty"`
	Model           string   `json:"model,omitempty"`
	// MCPServers are names of servers of [SDKOptions], or objects of servers of the
	// agent's own.
	MCPServers []json.RawMessage `json:"mcpServers,omitempty"`
	// Skills are names of skills that the SDK itself finds. Vade names none: the
	// skills that an agent begins with are in its Prompt, since the SDK finds those
	// only that stand in its own directories.
	Skills        []string `json:"skills,omitempty"`
	InitialPrompt string   `json:"initialPrompt,omitempty"`
	MaxTurns      int      `json:"maxTurns,omitempty"`
	Background    *bool    `json:"background,omitempty"`
	Memory        string   `json:"memory,omitempty"`
	// Effort is a word or a number.
	Effort         json.RawMessage `json:"effort,omitempty"`
	PermissionMode string          `json:"permissionMode,omitempty"`
}

// SDKSystemPrompt is the SDK's own system prompt with a text behind it.
type SDKSystemPrompt struct {
	Type   string `json:"type"`
	Preset string `json:"preset"`
	Append string `json:"append,omitempty"`
}

// SDKPlugin is a plugin that the SDK loads from a directory.
type SDKPlugin struct {
	Type string `json:"type"`
	Path string `json:"path"`
	// SkipMCPDiscovery: its MCP servers are not started.
	SkipMCPDiscovery bool `json:"skipMcpDiscovery,omitempty"`
}

// SDKOptions are the options for a session of the SDK. Their JSON is that of its
// type Options, with the base that they were made over.
type SDKOptions struct {
	// Agents are the agents by name.
	Agents map[string]SDKAgent `json:"agents"`
	// MCPServers are the servers by name, in the SDK's form.
	MCPServers map[string]json.RawMessage `json:"mcpServers"`
	// SystemPrompt has the table of skills and the instructions for the main
	// conversation behind the SDK's own.
	SystemPrompt SDKSystemPrompt `json:"systemPrompt"`
	// AllowedTools are those that run without being asked for: the one that loads a
	// skill, and no other.
	AllowedTools []string `json:"allowedTools"`
	// SettingSources is empty: the SDK reads no files of its own, so that nothing
	// comes in twice and nothing that the user's policy has not seen.
	SettingSources []string `json:"settingSources"`
	// Plugins are those of [catalog.Options.PluginDirs], and in an export also those of the
	// project's own marketplace in which nothing runs by itself.
	Plugins []SDKPlugin `json:"plugins"`

	// Losses are what the options can not express, Diagnostics what was wrong with
	// the definitions.
	Losses      []HostLoss        `json:"-"`
	Diagnostics []diag.Diagnostic `json:"-"`

	base map[string]json.RawMessage
}

// NewSDKOptions returns the options for a session of the SDK, in the neutral view. base
// is a JSON object of options that are put over them key by key, nil for none: its
// agents and servers by their names, its lists of allowed tools and of plugins
// together with those here, its system prompt before the text that is put behind it
// here; everything else of it as it is.
//
// All definitions in force go in, also those of the user: it is for a session on this
// machine. [To] makes files that can be shared. The tool that loads a
// skill is the caller's to serve, with [catalog.Catalog.LoadSkill].
func NewSDKOptions(ctx context.Context, c *catalog.Catalog, base json.RawMessage) (*SDKOptions, error) {
	var over map[string]json.RawMessage
	if len(base) > 0 {
		if err := json.Unmarshal(base, &over); err != nil {
			return nil, fmt.Errorf("vade: the base of the options is no JSON object: %w", err)
		}
	}
	m, err := newSDKMaker(ctx, c, nil)
	if err != nil {
		return nil, err
	}
	if err := m.options(); err != nil {
		return nil, err
	}
	m.out.base = over
	if _, err := json.Marshal(m.out); err != nil {
		return nil, fmt.Errorf("vade: %w", errors.Unwrap(err))
	}
	return m.out, nil
}

// MarshalJSON writes the options with the base put over them.
func (o *SDKOptions) MarshalJSON() ([]byte, error) {
	type plain SDKOptions
	data, err := jsonc.Marshal((*plain)(o), "")
	if err != nil || len(o.base) == 0 {
		return data, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(o.base)) {
		over := o.base[key]
		var merged any
		switch key {
		case "agents", "mcpServers":
			merged, err = mergedMaps(all[key], over)
		case "allowedTools", "plugins":
			merged, err = mergedLists(all[key], over)
		case "systemPrompt":
			merged, err = promptOver(over, o.SystemPrompt.Append)
		default:
			merged = over
		}
		if err != nil {
			return nil, fmt.Errorf("the key %s of the base has not the form of the SDK: %w", key, err)
		}
		if all[key], err = jsonc.Marshal(merged, ""); err != nil {
			return nil, err
		}
	}
	return jsonc.Marshal(all, "")
}

func mergedMaps(ours, over json.RawMessage) (map[string]json.RawMessage, error) {
	all, more := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	err := errors.Join(json.Unmarshal(ours, &all), json.Unmarshal(over, &more))
	maps.Copy(all, more)
	return all, err
}

// mergedLists puts lists together, each value once.
func mergedLists(ours, over json.RawMessage) ([]json.RawMessage, error) {
	var all, more []json.RawMessage
	err := errors.Join(json.Unmarshal(ours, &all), json.Unmarshal(over, &more))
	for _, v := range more {
		if !slices.ContainsFunc(all, func(o json.RawMessage) bool { return bytes.Equal(o, v) }) {
			all = append(all, v)
		}
	}
	return all, err
}

// promptOver puts a text behind a system prompt in any of the SDK's forms.
func promptOver(over json.RawMessage, text string) (any, error) {
	behind := func(s string) string {
		if s == "" || text == "" {
			return s + text
		}
		return s + "\n\n" + text
	}
	var whole string
	if json.Unmarshal(over, &whole) == nil {
		return behind(whole), nil
	}
	var blocks []string
	if json.Unmarshal(over, &blocks) == nil {
		return append(blocks, text), nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(over, &object); err != nil {
		return nil, err
	}
	key := "append"
	if _, ok := object["prompt"]; ok {
		key = "prompt"
	}
	if raw, ok := object[key]; ok {
		merged, err := promptOver(raw, text)
		if err != nil {
			return nil, err
		}
		object[key], err = jsonc.Marshal(merged, "")
		return object, err
	}
	var err error
	object[key], err = jsonc.Marshal(text, "")
	return object, err
}
