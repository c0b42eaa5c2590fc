package worker

import (
	"encoding/json"
	"slices"
)

// The Agent Client Protocol messages (version 1) that a run needs. Fields that Vade does not use
// are omitted, so messages from newer protocol versions can still be parsed.

const protocolVersion = 1

type initializeParams struct {
	ProtocolVersion int                `json:"protocolVersion"`
	Capabilities    clientCapabilities `json:"clientCapabilities"`
	Client          implementation     `json:"clientInfo"`
}

type clientCapabilities struct {
	FS struct {
		Read  bool `json:"readTextFile"`
		Write bool `json:"writeTextFile"`
	} `json:"fs"`
	Terminal bool `json:"terminal"`
}

type implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type initializeResult struct {
	ProtocolVersion int            `json:"protocolVersion"`
	Agent           implementation `json:"agentInfo"`
	Capabilities    struct {
		LoadSession bool `json:"loadSession"`
		Session     struct {
			Close json.RawMessage `json:"close"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
}

type newSessionParams struct {
	Cwd        string         `json:"cwd"`
	MCPServers []any          `json:"mcpServers"`
	SessionID  string         `json:"sessionId,omitempty"`
	Meta       map[string]any `json:"_meta,omitempty"`
}

type newSessionResult struct {
	SessionID string         `json:"sessionId"`
	Options   []configOption `json:"configOptions"`
	Models    struct {
		Available []struct {
			ID string `json:"modelId"`
		} `json:"availableModels"`
	} `json:"models"`
	Modes struct {
		Current   string `json:"currentModeId"`
		Available []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
}

// configOption is a session setting. Its values may be grouped.
type configOption struct {
	ID       string        `json:"id"`
	Category string        `json:"category"`
	Current  any           `json:"currentValue"`
	Values   []configValue `json:"options"`
}

type configValue struct {
	Value   string        `json:"value"`
	Options []configValue `json:"options"`
}

// has reports whether value is one of the option's choices.
func (o *configOption) has(value string) bool {
	for _, v := range o.Values {
		if v.Value == value {
			return true
		}
		for _, g := range v.Options {
			if g.Value == value {
				return true
			}
		}
	}
	return false
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type promptParams struct {
	SessionID string      `json:"sessionId"`
	Prompt    []textBlock `json:"prompt"`
}

type promptResult struct {
	StopReason string `json:"stopReason"`
	Usage      *Usage `json:"usage"`
}

// Usage is the token usage that an agent reports.
type Usage struct {
	Input  float64 `json:"inputTokens"`
	Output float64 `json:"outputTokens"`
	Total  float64 `json:"totalTokens"`
}

type updateParams struct {
	SessionID string `json:"sessionId"`
	Update    update `json:"update"`
}

// update is a message about a turn. Kind determines which fields are set.
type update struct {
	Kind string `json:"sessionUpdate"`
	toolCall
	Commands []struct {
		Name string `json:"name"`
	} `json:"availableCommands"`
}

// toolCall is a tool call or an update to one. Fields that an update omits are unchanged.
type toolCall struct {
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title"`
	ToolKind  string          `json:"kind"`
	Status    string          `json:"status"`
	Input     json.RawMessage `json:"rawInput"`
	Content   json.RawMessage `json:"content"`
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
}

// text returns the text of a message's content block.
func (t *toolCall) text() string {
	var block textBlock
	if json.Unmarshal(t.Content, &block) != nil || block.Type != "text" {
		return ""
	}
	return block.Text
}

// change is a file change, which is part of a tool call's content.
type change struct {
	Type string `json:"type"`
	Path string `json:"path"`
	Text string `json:"newText"`
}

// changes returns the file changes that a tool call shows.
func (t *toolCall) changes() []change {
	var parts []change
	_ = json.Unmarshal(t.Content, &parts)
	return slices.DeleteFunc(parts, func(c change) bool { return c.Type != "diff" })
}

type permissionParams struct {
	Call    toolCall `json:"toolCall"`
	Options []struct {
		ID   string `json:"optionId"`
		Kind string `json:"kind"`
	} `json:"options"`
}

type fileParams struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Limit   int    `json:"limit"`
	Content string `json:"content"`
}

type terminalParams struct {
	Command  string   `json:"command"`
	Args     []string `json:"args"`
	Cwd      string   `json:"cwd"`
	Limit    int      `json:"outputByteLimit"`
	Terminal string   `json:"terminalId"`
}

type exitStatus struct {
	Code   *int    `json:"exitCode"`
	Signal *string `json:"signal"`
}
