package export

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
)

// CopilotConfig is the part of the Copilot SDK's SessionConfig type that
// definitions provide (1.0.14).
type CopilotConfig struct {
	// CustomAgents lists the agents, sorted by name.
	CustomAgents []CopilotAgent `json:"customAgents"`
	// MCPServers maps names to servers.
	MCPServers map[string]json.RawMessage `json:"mcpServers"`
	// SkipCustomInstructions is true; otherwise the SDK would also read the instruction files,
	// which SystemMessage already contains.
	SkipCustomInstructions bool           `json:"skipCustomInstructions"`
	SystemMessage          CopilotMessage `json:"systemMessage"`

	// Losses lists what the configuration cannot express, and Diagnostics lists
	// problems with the definitions.
	Losses      []HostLoss        `json:"-"`
	Diagnostics []diag.Diagnostic `json:"-"`
}

// CopilotMessage is text that is appended to the SDK's system message.
type CopilotMessage struct {
	Mode    string `json:"mode"`
	Content string `json:"content"`
}

// CopilotAgent is an agent in the format of the SDK's CustomAgentConfig type.
type CopilotAgent struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Prompt      string `json:"prompt"`
	// Tools lists the tools that the agent may use. If nil, the agent may use all tools; if empty,
	// it may use none.
	Tools           []string                   `json:"tools,omitzero"`
	Model           string                     `json:"model,omitempty"`
	ReasoningEffort json.RawMessage            `json:"reasoningEffort,omitempty"`
	MCPServers      map[string]json.RawMessage `json:"mcpServers,omitempty"`
}

// NewCopilotConfig returns the configuration for a Copilot SDK session in the neutral view. It
// includes all active definitions, including those in the user's directories. The caller must
// provide the tool that loads skills, using [catalog.Catalog.LoadSkill]. If the session runs as one
// of the agents, the caller must not append anything to the system message, because each agent's
// prompt already contains the skills and instructions.
func NewCopilotConfig(ctx context.Context, c *catalog.Catalog) (*CopilotConfig, error) {
	m, err := localOptions(ctx, c, host.SessionConfig)
	if err != nil {
		return nil, err
	}
	return m.sessionConfig(), nil
}

// sessionConfig converts the options to a CopilotConfig.
func (m *sdkMaker) sessionConfig() *CopilotConfig {
	s := &CopilotConfig{
		CustomAgents: []CopilotAgent{}, MCPServers: m.out.MCPServers, SkipCustomInstructions: true,
		SystemMessage: CopilotMessage{"append", m.out.SystemPrompt.Append},
		Losses:        m.out.Losses, Diagnostics: m.out.Diagnostics,
	}
	for _, name := range slices.Sorted(maps.Keys(m.out.Agents)) {
		a := m.out.Agents[name]
		agent := CopilotAgent{Name: name, Description: a.Description, Prompt: a.Prompt, Model: a.Model, ReasoningEffort: a.Effort}
		if a.Tools != nil {
			agent.Tools = []string{}
		}
		for _, t := range a.Tools {
			agent.Tools = append(agent.Tools, m.sdk.ToolName(t))
		}
		for _, raw := range a.MCPServers {
			// A name refers to a server of the session, which all agents can use.
			var servers map[string]json.RawMessage
			if json.Unmarshal(raw, &servers) == nil {
				if agent.MCPServers == nil {
					agent.MCPServers = map[string]json.RawMessage{}
				}
				maps.Copy(agent.MCPServers, servers)
			}
		}
		s.CustomAgents = append(s.CustomAgents, agent)
	}
	return s
}

// allowedOnly replaces an agent's list of denied tools with a list of allowed tools. It omits any
// tool that is allowed or denied only for certain calls, so the agent never gets broader access
// than the definition allows.
func (m *sdkMaker) allowedOnly(d *definition.Definition, a *SDKAgent) {
	if a.Tools == nil && len(a.DisallowedTools) > 0 {
		a.Tools = host.AllTools()
	}
	a.Tools = slices.DeleteFunc(a.Tools, func(tool string) bool {
		if _, _, limited := strings.Cut(tool, "("); limited {
			m.reportLoss(d, 0, LossTool, "allow all calls to the tool", "the SDK cannot limit tools to certain calls, so %s is omitted", tool)
			return true
		}
		server, _, _ := host.IsServerTool(tool)
		return slices.ContainsFunc(a.DisallowedTools, func(denied string) bool {
			denied, _, _ = strings.Cut(denied, "(")
			from, one, ok := host.IsServerTool(denied)
			return denied == tool || ok && one == "" && (from == "*" || from == server)
		})
	})
	a.DisallowedTools = nil
}
