/** The client of Vade: what `vade COMMAND --json` prints, from one long-lived process. */
import type {
  AgentOptions, Audit, Changed, Check, Definition, Explain, Instructions, List, Listing, Load, Prompt, Render, Search,
} from './results.js';

export type * from './results.js';

/** An error of Vade. Programs can compare `code`; the message is for people. */
export class VadeError extends Error {
  readonly code: string;
  /** What the user can do about it. */
  readonly hint: string | undefined;
  /** Where the problem is. Lines and columns start at 1. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

export type Kind = 'skill' | 'command' | 'agent' | 'instruction' | 'workflow';

export interface CallOptions {
  /** Cancels the call. Its promise is then rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface OpenOptions extends CallOptions {
  /** The directory to look from. The default is the working directory. */
  dir?: string;
  /** The host whose view to open, such as `claude-code`. The default is the neutral view, of all hosts. */
  host?: string;
  /** The user's home directory. */
  home?: string;
  /** The directory of managed definitions. */
  managedDir?: string;
  pluginDirs?: string[];
  /** Also searches all subdirectories of the project. */
  nested?: boolean;
  /** Leaves out the user's own definitions. */
  isolated?: boolean;
  /** The vade program. The default is `$VADE_BINARY`, then the one of this package, then the one in PATH. */
  binary?: string;
  /** The environment of the program. The default is that of this process. */
  env?: Record<string, string | undefined>;
  /** How long the program may take to answer first, in milliseconds. The default is 30,000. */
  timeout?: number;
}

/** Opens a catalog of definitions, in a process of its own. Close it to end the process. */
export function open(options?: OpenOptions): Promise<Client>;

/** A catalog of definitions. All methods can be called concurrently. */
export interface Client {
  /** The version of the vade program. */
  readonly version: string;

  list(options?: CallOptions & { kinds?: Kind[]; all?: boolean }): Promise<List>;
  get(kind: Kind, name: string, options?: CallOptions): Promise<Definition>;
  /** Loads a command or skills: `load(['/review', 'src'])`. Failures are results, too. */
  load(request: string | string[], options?: CallOptions & { agent?: string | undefined }): Promise<Load>;
  /** Renders a definition as the host does. */
  render(request: string | string[], options?: CallOptions & { by?: 'user' | 'model'; session?: string }): Promise<Render>;
  /** Returns the list of definitions that the host's model sees. */
  listing(options?: CallOptions & { agent?: string; touched?: string[]; contextTokens?: number }): Promise<Listing>;
  instructions(options?: CallOptions & { agent?: string; files?: string[] }): Promise<Instructions>;
  /** Returns an agent's complete prompt. */
  prompt(options?: CallOptions & { agent?: string; files?: string[]; budget?: number; tool?: string }): Promise<Prompt>;
  /** Returns options in the form of the Claude Agent SDK, and what they cannot express. */
  agentOptions(options?: CallOptions & { base?: Record<string, unknown> }): Promise<AgentOptions & { options: ClaudeAgentOptions }>;
  search(query: string, options?: CallOptions & { kind?: Kind; limit?: number }): Promise<Search>;
  /** Says why a definition is active, or why it is not. */
  explain(name: string, options?: CallOptions & { kind?: Kind; hosts?: string[] }): Promise<Explain>;
  check(options?: CallOptions & { paths?: string[]; hosts?: string[] }): Promise<Check>;
  audit(options?: CallOptions & {
    paths?: string[]; loaded?: boolean; capabilities?: boolean; persona?: 'regular' | 'pedantic' | 'auditor';
  }): Promise<Audit>;
  /** Yields the changes from the first call of next on, until the signal is aborted or the client is closed. */
  watch(options?: CallOptions): AsyncGenerator<Changed, void, void>;

  discoverCommands(options?: CallOptions): Promise<Definition[]>;
  discoverAgents(options?: CallOptions): Promise<Definition[]>;
  discoverSkills(options?: CallOptions): Promise<Definition[]>;
  discoverInstructions(options?: CallOptions): Promise<Definition[]>;
  /** Returns the instructions for an agent that works on files; `instructions` has their texts in order. */
  getInstructionsForAgent(agent: string, options?: CallOptions & { files?: string[] }):
    Promise<Instructions & { instructions: string[] }>;
  /** Returns the text of a skill, or undefined if there is none of that name for the agent. */
  loadSkillContent(name: string, options?: CallOptions & { agent?: string | undefined }): Promise<string | undefined>;
  createLoadSkillTool(options?: { agent?: string | undefined }): LoadSkillTool;

  /**
   * Returns options for the Claude Agent SDK's query, merged with yours: agents and servers of
   * yours replace those of the same name, lists of tools and plugins are joined, and the text of
   * the definitions is appended to your system prompt. With `agent`, the session runs as that agent.
   * Needs the packages @anthropic-ai/claude-agent-sdk and zod.
   */
  buildClaudeAgentOptions<T extends ClaudeAgentBase = {}>(base?: T): Promise<Omit<T, keyof ClaudeAgentOptions> & ClaudeAgentOptions>;

  /**
   * Creates a session of the Copilot SDK with your configuration and the agents, slash commands,
   * skills table, tool loadSkill, instructions and MCP servers of the catalog:
   * `registerWithCopilotSdk(new CopilotClient(), { agent: 'architect', onPermissionRequest })`.
   */
  registerWithCopilotSdk<S extends CopilotSession>(client: { createSession(config: any): Promise<S> }, base?: CopilotSessionBase): Promise<S>;
  /**
   * Returns the configuration for createSession or resumeSession, merged with yours: your agents
   * and servers replace those of the same name, your tools are added, and the text of the
   * definitions is appended to your system message. With `agent`, the session runs as that agent.
   * A prompt such as "/name arguments" becomes the text of that command or skill.
   */
  buildCopilotSessionConfig<T extends CopilotSessionBase = {}>(base?: T): Promise<Omit<T, keyof CopilotSessionConfig> & CopilotSessionConfig>;

  /** Ends the process. Calls without an answer fail with the code `CLOSED`. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A tool that loads a skill. It is not bound to an SDK. */
export interface LoadSkillTool {
  name: 'loadSkill';
  description: string;
  /** The JSON Schema of the input. */
  inputSchema: { type: 'object'; properties: { skillId: { type: 'string'; description: string } }; required: ['skillId'] };
  /** Returns the text of a skill. The error for an unknown name lists the available ones. */
  execute(input: { skillId: string }, options?: CallOptions): Promise<string>;
}

/** The options of the Claude Agent SDK that are merged. It also takes all others. */
export interface ClaudeAgentBase {
  agent?: string | undefined;
  agents?: Record<string, any> | undefined;
  mcpServers?: Record<string, any> | undefined;
  systemPrompt?: any;
  allowedTools?: string[] | undefined;
  plugins?: any[] | undefined;
  [option: string]: any;
}

/** The configuration of the Copilot SDK that is merged. It also takes all other keys. */
export interface CopilotSessionBase {
  agent?: string | undefined;
  customAgents?: { name: string; [field: string]: any }[] | undefined;
  mcpServers?: Record<string, any> | undefined;
  systemMessage?: { mode?: any; content?: string; [field: string]: any } | undefined;
  tools?: any[] | undefined;
  hooks?: Record<string, any> | undefined;
  [key: string]: any;
}

/** A session of the Copilot SDK, as far as this package uses it. */
export interface CopilotSession {
  send(options: { prompt: string }): Promise<unknown>;
}

/** The configuration that comes from definitions, in the form of the Copilot SDK's type SessionConfig. */
export interface CopilotSessionConfig {
  customAgents: { name: string; description: string; prompt: string; [field: string]: any }[];
  mcpServers: Record<string, any>;
  skipCustomInstructions: boolean;
  systemMessage: any;
  tools: any[];
  hooks: Record<string, any>;
  [key: string]: any;
}

/** The options that come from definitions, in the form of the SDK's type Options. */
export interface ClaudeAgentOptions {
  agents: Record<string, { description: string; prompt: string; [field: string]: any }>;
  mcpServers: Record<string, any>;
  systemPrompt: any;
  allowedTools: string[];
  settingSources: any[];
  plugins: { type: 'local'; path: string; skipMcpDiscovery?: boolean }[];
}
