/** A client for Vade. It returns what `vade COMMAND --json` prints, using one long-lived process. */
import type {
  AgentOptions, Audit, Changed, Check, Definition, Explain, Instructions, List, Listing, Load, Prompt, Render, Search,
} from './results.js';

export type * from './results.js';

/** An error from Vade. Programs should check `code`; the message is for people. */
export class VadeError extends Error {
  readonly code: string;
  /** What the user can do about the error. */
  readonly hint: string | undefined;
  /** The position of the problem. Lines and columns start at 1. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

export type Kind = 'skill' | 'command' | 'agent' | 'instruction' | 'workflow';

export interface CallOptions {
  /** Cancels the call when aborted. The promise is then rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface OpenOptions extends CallOptions {
  /** The directory whose definitions to find. The default is the working directory. */
  dir?: string;
  /** The host whose view to open, such as `claude-code`. The default is the neutral view, which covers all hosts. */
  host?: string;
  /** The user's home directory. */
  home?: string;
  /** The directory that contains managed definitions. */
  managedDir?: string;
  pluginDirs?: string[];
  /** Also searches all subdirectories of the project. */
  nested?: boolean;
  /** Excludes the user's own definitions. */
  isolated?: boolean;
  /** The path of the vade program. The default is `$VADE_BINARY`, or else the program in this package, or else the one in PATH. */
  binary?: string;
  /** The program's environment. The default is this process's environment. */
  env?: Record<string, string | undefined>;
  /** How long to wait for the program's first answer, in milliseconds. The default is 30,000. */
  timeout?: number;
}

/** Opens a catalog of definitions in a new process. Close the client to end the process. */
export function open(options?: OpenOptions): Promise<Client>;

/** A catalog of definitions. All methods can be called concurrently. */
export interface Client {
  /** The version of the vade program. */
  readonly version: string;

  list(options?: CallOptions & { kinds?: Kind[]; all?: boolean }): Promise<List>;
  get(kind: Kind, name: string, options?: CallOptions): Promise<Definition>;
  /** Loads a command or skills: `load(['/review', 'src'])`. A failure is returned as a result, not thrown. */
  load(request: string | string[], options?: CallOptions & { agent?: string | undefined }): Promise<Load>;
  /** Renders a definition the way the host does. */
  render(request: string | string[], options?: CallOptions & { by?: 'user' | 'model'; session?: string }): Promise<Render>;
  /** Returns what the host's model sees of the definitions before it loads one. */
  listing(options?: CallOptions & { agent?: string; touched?: string[]; contextTokens?: number }): Promise<Listing>;
  instructions(options?: CallOptions & { agent?: string; files?: string[] }): Promise<Instructions>;
  /** Returns an agent's complete prompt. */
  prompt(options?: CallOptions & { agent?: string; files?: string[]; budget?: number; tool?: string }): Promise<Prompt>;
  /** Returns options in the Claude Agent SDK's format, and what they cannot express. */
  agentOptions(options?: CallOptions & { base?: Record<string, unknown> }): Promise<AgentOptions & { options: ClaudeAgentOptions }>;
  search(query: string, options?: CallOptions & { kind?: Kind; limit?: number }): Promise<Search>;
  /** Explains why a definition is active or inactive. */
  explain(name: string, options?: CallOptions & { kind?: Kind; hosts?: string[] }): Promise<Explain>;
  check(options?: CallOptions & { paths?: string[]; hosts?: string[] }): Promise<Check>;
  audit(options?: CallOptions & {
    paths?: string[]; loaded?: boolean; capabilities?: boolean; persona?: 'regular' | 'pedantic' | 'auditor';
  }): Promise<Audit>;
  /** Yields changes, starting with the first call to next, until the signal is aborted or the client is closed. */
  watch(options?: CallOptions): AsyncGenerator<Changed, void, void>;

  discoverCommands(options?: CallOptions): Promise<Definition[]>;
  discoverAgents(options?: CallOptions): Promise<Definition[]>;
  discoverSkills(options?: CallOptions): Promise<Definition[]>;
  discoverInstructions(options?: CallOptions): Promise<Definition[]>;
  /** Returns the instructions for an agent that is working on the given files. `instructions` has their texts in order. */
  getInstructionsForAgent(agent: string, options?: CallOptions & { files?: string[] }):
    Promise<Instructions & { instructions: string[] }>;
  /** Returns a skill's text, or undefined if the agent has no skill with that name. */
  loadSkillContent(name: string, options?: CallOptions & { agent?: string | undefined }): Promise<string | undefined>;
  createLoadSkillTool(options?: { agent?: string | undefined }): LoadSkillTool;

  /**
   * Returns options for the Claude Agent SDK's query, merged with yours: your agents and servers
   * replace those with the same name, lists of tools and plugins are joined, and the definitions'
   * text is appended to your system prompt. With `agent`, the session runs as that agent.
   * Requires the packages @anthropic-ai/claude-agent-sdk and zod.
   */
  buildClaudeAgentOptions<T extends ClaudeAgentBase = {}>(base?: T): Promise<Omit<T, keyof ClaudeAgentOptions> & ClaudeAgentOptions>;

  /**
   * Creates a Copilot SDK session with your configuration and the catalog's agents, slash
   * commands, skill table, loadSkill tool, instructions and MCP servers:
   * `registerWithCopilotSdk(new CopilotClient(), { agent: 'architect', onPermissionRequest })`.
   */
  registerWithCopilotSdk<S extends CopilotSession>(client: { createSession(config: any): Promise<S> }, base?: CopilotSessionBase): Promise<S>;
  /**
   * Returns a configuration for createSession or resumeSession, merged with yours: your agents
   * and servers replace those with the same name, your tools are added, and the definitions' text
   * is appended to your system message. With `agent`, the session runs as that agent.
   * A prompt such as "/name arguments" is replaced with the text of that command or skill.
   */
  buildCopilotSessionConfig<T extends CopilotSessionBase = {}>(base?: T): Promise<Omit<T, keyof CopilotSessionConfig> & CopilotSessionConfig>;

  /** Ends the process. Pending calls fail with the code `CLOSED`. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A tool that loads a skill. It works with any SDK. */
export interface LoadSkillTool {
  name: 'loadSkill';
  description: string;
  /** The JSON Schema for the input. */
  inputSchema: { type: 'object'; properties: { skillId: { type: 'string'; description: string } }; required: ['skillId'] };
  /** Returns a skill's text. If the name is unknown, the error lists the available skills. */
  execute(input: { skillId: string }, options?: CallOptions): Promise<string>;
}

/** The Claude Agent SDK options that are merged. All other options are kept. */
export interface ClaudeAgentBase {
  agent?: string | undefined;
  agents?: Record<string, any> | undefined;
  mcpServers?: Record<string, any> | undefined;
  systemPrompt?: any;
  allowedTools?: string[] | undefined;
  plugins?: any[] | undefined;
  [option: string]: any;
}

/** The Copilot SDK configuration that is merged. All other keys are kept. */
export interface CopilotSessionBase {
  agent?: string | undefined;
  customAgents?: { name: string; [field: string]: any }[] | undefined;
  mcpServers?: Record<string, any> | undefined;
  systemMessage?: { mode?: any; content?: string; [field: string]: any } | undefined;
  tools?: any[] | undefined;
  hooks?: Record<string, any> | undefined;
  [key: string]: any;
}

/** The part of a Copilot SDK session that this package uses. */
export interface CopilotSession {
  send(options: { prompt: string }): Promise<unknown>;
}

/** The configuration that comes from definitions, in the format of the Copilot SDK's SessionConfig type. */
export interface CopilotSessionConfig {
  customAgents: { name: string; description: string; prompt: string; [field: string]: any }[];
  mcpServers: Record<string, any>;
  skipCustomInstructions: boolean;
  systemMessage: any;
  tools: any[];
  hooks: Record<string, any>;
  [key: string]: any;
}

/** The options that come from definitions, in the format of the Claude Agent SDK's Options type. */
export interface ClaudeAgentOptions {
  agents: Record<string, { description: string; prompt: string; [field: string]: any }>;
  mcpServers: Record<string, any>;
  systemPrompt: any;
  allowedTools: string[];
  settingSources: any[];
  plugins: { type: 'local'; path: string; skipMcpDiscovery?: boolean }[];
}
