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
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"
)

// SDKAgent is an agent in the format of the SDK's AgentDefinition type (SDK 0.3.329).
type SDKAgent struct {
	Description string `json:"description"`
	Prompt      string `json:"prompt"`
	// Tools lists the tools that the agent may use. If nil, the agent may use all tools; if empty,
	// it may use none.
	Tools           []string `json:"tools,omitzero"`
	DisallowedTools []string `json:"disallowedTools,omitempty"`
	Model           string   `json:"model,omitempty"`
	// MCPServers holds the names of servers in [SDKOptions], or objects that define the agent's own
	// servers.
	MCPServers []json.RawMessage `json:"mcpServers,omitempty"`
	// Skills lists the skills that the SDK looks for. Vade leaves it empty, because the SDK
	// searches only its own directories; the text of preloaded skills is in Prompt instead.
	Skills        []string `json:"skills,omitempty"`
	InitialPrompt string   `json:"initialPrompt,omitempty"`
	MaxTurns      int      `json:"maxTurns,omitempty"`
	Background    *bool    `json:"background,omitempty"`
	Memory        string   `json:"memory,omitempty"`
	// Effort is a string or a number.
	Effort         json.RawMessage `json:"effort,omitempty"`
	PermissionMode string          `json:"permissionMode,omitempty"`
}

// SDKSystemPrompt is the SDK's own system prompt followed by more text.
type SDKSystemPrompt struct {
	Type   string `json:"type"`
	Preset string `json:"preset"`
	Append string `json:"append,omitempty"`
}

// SDKPlugin is a plugin that the SDK loads from a directory.
type SDKPlugin struct {
	Type string `json:"type"`
	Path string `json:"path"`
	// If SkipMCPDiscovery is set, the plugin's MCP servers are not started.
	SkipMCPDiscovery bool `json:"skipMcpDiscovery,omitempty"`
}

// SDKOptions holds the options for an SDK session. It marshals to the SDK's Options type, merged
// with the base options.
type SDKOptions struct {
	// Agents maps names to agents.
	Agents map[string]SDKAgent `json:"agents"`
	// MCPServers maps names to servers, in the SDK's format.
	MCPServers map[string]json.RawMessage `json:"mcpServers"`
	// SystemPrompt is the SDK's own prompt, followed by the list of skills and
	// the main conversation's instructions.
	SystemPrompt SDKSystemPrompt `json:"systemPrompt"`
	// AllowedTools lists the tools that run without approval. Vade lists only the tool that loads
	// skills.
	AllowedTools []string `json:"allowedTools"`
	// SettingSources is empty, so the SDK does not read the user's and the project's files itself.
	// Otherwise definitions could be loaded twice or bypass the user's policy.
	SettingSources []string `json:"settingSources"`
	// Plugins lists the plugins in [catalog.Options.PluginDirs]. An export also includes those of
	// the project's own plugins that do not run anything automatically.
	Plugins []SDKPlugin `json:"plugins"`

	// Losses lists what the options cannot express, and Diagnostics lists
	// problems with the definitions.
	Losses      []HostLoss        `json:"-"`
	Diagnostics []diag.Diagnostic `json:"-"`

	base map[string]json.RawMessage
}

// NewSDKOptions returns the options for an SDK session in the neutral view. They include all active
// definitions, even those in the user's directories, because the session runs on this machine. To
// generate files to share, use [To]. The caller must provide the tool that loads skills, using
// [catalog.Catalog.LoadSkill].
//
// base is an optional JSON object with options to merge in. Its agents and servers replace those
// with the same name. Its allowed tools and plugins are added. Its system prompt is kept, and
// Vade's text is appended to it. All other keys are copied unchanged.
func NewSDKOptions(ctx context.Context, c *catalog.Catalog, base json.RawMessage) (*SDKOptions, error) {
	var over map[string]json.RawMessage
	if len(base) > 0 {
		if err := json.Unmarshal(base, &over); err != nil {
			return nil, fmt.Errorf("vade: the base options must be a JSON object: %w", err)
		}
	}
	m, err := localOptions(ctx, c, host.QueryOptions)
	if err != nil {
		return nil, err
	}
	m.out.base = over
	if _, err := json.Marshal(m.out); err != nil {
		return nil, fmt.Errorf("vade: %w", errors.Unwrap(err))
	}
	return m.out, nil
}

// localOptions returns an sdkMaker that holds the options for a session on this machine, for the
// SDK that uses the given form of options.
func localOptions(ctx context.Context, c *catalog.Catalog, form host.OptionsForm) (*sdkMaker, error) {
	sdks, hosts := registry.SDKs()
	at := slices.IndexFunc(sdks, func(s *host.AgentSDK) bool { return s.Form == form })
	m, err := newSDKMaker(ctx, c, sdks[at], hosts[at], nil)
	if err != nil {
		return nil, err
	}
	return m, m.options()
}

// MarshalJSON encodes the options merged with the base options.
func (o *SDKOptions) MarshalJSON() ([]byte, error) {
	type options SDKOptions
	plain := options(*o)
	if o.asAgent() {
		// The agent's prompt already contains the skills and instructions.
		plain.SystemPrompt.Append = ""
	}
	data, err := jsonc.Marshal(plain, "")
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
			merged, err = promptOver(over, plain.SystemPrompt.Append)
		default:
			merged = over
		}
		if err != nil {
			return nil, fmt.Errorf("key %s in the base options is not valid for the SDK: %w", key, err)
		}
		if all[key], err = jsonc.Marshal(merged, ""); err != nil {
			return nil, err
		}
	}
	return jsonc.Marshal(all, "")
}

// asAgent reports whether the base options run the session as one of the agents in o.Agents without
// redefining that agent.
func (o *SDKOptions) asAgent() bool {
	var name string
	var agents map[string]json.RawMessage
	if json.Unmarshal(o.base["agent"], &name) != nil {
		return false
	}
	_ = json.Unmarshal(o.base["agents"], &agents)
	_, ours := o.Agents[name]
	return ours && agents[name] == nil
}

func mergedMaps(ours, overrides json.RawMessage) (map[string]json.RawMessage, error) {
	all, extra := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	err := errors.Join(json.Unmarshal(ours, &all), json.Unmarshal(overrides, &extra))
	maps.Copy(all, extra)
	return all, err
}

// mergedLists concatenates two lists without duplicates.
func mergedLists(ours, overrides json.RawMessage) ([]json.RawMessage, error) {
	var all, extra []json.RawMessage
	err := errors.Join(json.Unmarshal(ours, &all), json.Unmarshal(overrides, &extra))
	for _, v := range extra {
		if !slices.ContainsFunc(all, func(o json.RawMessage) bool { return bytes.Equal(o, v) }) {
			all = append(all, v)
		}
	}
	return all, err
}

// promptOver appends text to a system prompt, which may be in any of the SDK's formats.
func promptOver(override json.RawMessage, text string) (any, error) {
	withText := func(s string) string {
		if s == "" || text == "" {
			return s + text
		}
		return s + "\n\n" + text
	}
	var whole string
	if json.Unmarshal(override, &whole) == nil {
		return withText(whole), nil
	}
	var blocks []string
	if json.Unmarshal(override, &blocks) == nil {
		if text != "" {
			blocks = append(blocks, text)
		}
		return blocks, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(override, &object); err != nil {
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
