package serve

import (
	"context"
	"strings"
	"time"
)

// runTool is the name of the tool that runs a definition.
const runTool = "run_definition"

// runTime limits how long a runTool call may take.
const runTime = 15 * time.Minute

func (s *Server) runningTool() tool {
	return tool{
		runTool, "Run a definition",
		"Run a command, a skill or a prompt on a coding agent and wait for its answer, up to 15 minutes. The " +
			"agent may do only what the user's policy allows. Returns JSON with id, state, reason and text; " +
			"state is done, failed or cancelled. Any state other than done is an error.",
		[]parameter{
			{
				name: "request", kind: "string", required: true,
				description: "The request as a user would type it: a prompt or a slash command such as \"/review src\".",
			},
			{
				name: "agent", kind: "string",
				description: "Name of the agent definition that runs the request. Default: the agent in the definition, if any.",
			},
			{
				name: "host", kind: "string",
				description: "Name of the coding agent that runs the request. Default: the project's first host whose program is installed.",
			},
		},
		textOf(s.runDefinition), nil, true,
	}
}

func (s *Server) runDefinition(ctx context.Context, st *state, in *input) (string, error) {
	// The policy may have changed since the client listed the tools.
	if p, _ := st.catalog.EffectivePolicy(); !p.RunTool {
		return "", invalid("the policy does not allow run_definition (run-tool, %s)", p.From("run-tool"))
	}
	if strings.TrimSpace(in.Request) == "" {
		return "", invalid("%s: missing argument \"request\"", runTool)
	}
	result, done, err := s.options.Run(ctx, in.Host, in.Agent, in.Request)
	if err != nil {
		return "", invalid("%s: %v", runTool, err)
	}
	if !done {
		return "", invalid("%s", result)
	}
	return result, nil
}
