// @ts-check
// A client for `vade rpc`, a process that exchanges one JSON-RPC message per line on stdin and stdout.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync } from 'node:fs';
import { program } from './program.cjs';

/** @typedef {import('./index.js').Client} API */
/** @typedef {import('./index.js').CallOptions} CallOptions */

/** The protocol version. */
const PROTOCOL = 1;
/** The maximum length of a message, in bytes. */
const MAX_MESSAGE = 64 << 20;
/** How long close waits for the process, in milliseconds. */
const CLOSE_TIME = 2000;
/** How long to keep reading the pipes after the process has exited, in milliseconds. */
const PIPE_TIME = 500;
/** How much of the end of stderr errors quote, in characters. */
const STDERR_TAIL = 2000;

/** An error from Vade. Programs should check `code`; the message is for people. */
export class VadeError extends Error {
  /**
   * @param {string} message
   * @param {string} code
   * @param {{hint?: string, file?: string, line?: number, column?: number, cause?: unknown}} [data]
   */
  constructor(message, code, { hint, file, line, column, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'VadeError';
    this.code = code;
    this.hint = hint;
    this.file = file;
    this.line = line;
    this.column = column;
  }
}

/**
 * Opens a catalog of definitions in a new process.
 * @param {import('./index.js').OpenOptions} [options]
 * @returns {Promise<import('./index.js').Client>}
 */
export async function open({ binary, timeout = 30_000, env, signal, ...options } = {}) {
  signal?.throwIfAborted();
  const client = new Client(binary ?? program() ?? 'vade', env);
  const timer = setTimeout(() => {
    client.fail(new VadeError(`${client.binary} did not answer within ${timeout} ms`, 'TIMEOUT'));
  }, timeout);
  try {
    const opened = await client.request('open', { protocol: PROTOCOL, ...options }, signal);
    if (opened?.protocol !== PROTOCOL || typeof opened.catalog !== 'number') {
      throw new VadeError(
        `${client.binary} uses protocol version ${opened?.protocol}, but this package uses version ${PROTOCOL}`,
        'PROTOCOL', { hint: 'use the package and the program from the same release' },
      );
    }
    client.catalog = opened.catalog;
    client.version = opened.version;
    return /** @type {any} */ (client);
  } catch (error) {
    await client.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

class Client {
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: unknown) => void}>} */
  #pending = new Map();
  /** @type {Map<number, {changes: unknown[], wake?: (value?: any) => void}>} */
  #watches = new Map();
  /** @type {Buffer[]} The beginning of an incomplete line. */
  #line = [];
  #length = 0;
  #lastID = 0;
  #stderr = '';
  #exited = false;
  /** @type {VadeError | undefined} The reason no more answers will arrive. */
  #failure;
  #child;

  catalog = 0;
  version = '';

  /**
   * @param {string} binary
   * @param {NodeJS.ProcessEnv} [env]
   */
  constructor(binary, env) {
    this.binary = binary;
    const child = spawn(binary, ['rpc'], { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true, ...(env && { env }) });
    this.#child = child;
    child.on('error', (error) => {
      this.#exited ||= child.pid === undefined;
      this.fail(startError(binary, error));
    });
    child.stdout.on('data', (chunk) => this.#read(chunk));
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL);
    });
    // The exit code says more than a failed write.
    child.stdin.on('error', () => {});
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    child.on('exit', (code, killedBy) => {
      this.#exited = true;
      // Another process may be keeping the pipes open.
      timer = setTimeout(() => this.fail(this.#endError(code, killedBy)), PIPE_TIME);
    });
    child.on('close', (code, killedBy) => {
      clearTimeout(timer);
      this.fail(this.#endError(code, killedBy));
    });
    this.#hold();
  }

  // Protocol methods. Each returns what the command with the same name prints with --json.

  /** @type {API['list']} */
  list = ({ signal, ...query } = {}) => this.call('list', query, signal);

  /** @type {API['get']} */
  get = (kind, name, { signal } = {}) => this.call('get', { kind, name }, signal);

  /** @type {API['load']} */
  load = (request, { signal, ...options } = {}) => this.call('load', { request: [request].flat(), ...options }, signal);

  /** @type {API['render']} */
  render = (request, { signal, ...options } = {}) =>
    this.call('render', { request: [request].flat(), ...options }, signal);

  /** @type {API['listing']} */
  listing = ({ signal, ...options } = {}) => this.call('listing', options, signal);

  /** @type {API['instructions']} */
  instructions = ({ signal, ...options } = {}) => this.call('instructions', options, signal);

  /** @type {API['prompt']} */
  prompt = ({ signal, ...options } = {}) => this.call('prompt', options, signal);

  /** @type {API['agentOptions']} */
  agentOptions = ({ signal, ...options } = {}) => this.call('agentOptions', options, signal);

  /** @type {API['search']} */
  search = (query, { signal, ...options } = {}) => this.call('search', { query, ...options }, signal);

  /** @type {API['explain']} */
  explain = (name, { signal, ...options } = {}) => this.call('explain', { name, ...options }, signal);

  /** @type {API['check']} */
  check = ({ signal, ...options } = {}) => this.call('check', options, signal);

  /** @type {API['audit']} */
  audit = ({ signal, ...options } = {}) => this.call('audit', options, signal);

  /** Yields changes to the catalog until the signal is aborted or the client is closed. */
  async *watch(/** @type {CallOptions} */ { signal } = {}) {
    const { watch } = await this.call('watch', {}, signal);
    const queue = this.#watches.get(watch) ?? { changes: [] };
    const stop = () => queue.wake?.();
    signal?.addEventListener('abort', stop);
    try {
      for (;;) {
        yield* queue.changes.splice(0);
        if (this.#failure?.code === 'CLOSED' || signal?.aborted) return;
        if (this.#failure) throw this.#failure;
        if (queue.changes.length === 0) await new Promise((resolve) => { queue.wake = resolve; });
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#watches.delete(watch);
      this.#hold();
      this.#unwatch(watch);
    }
  }

  // Convenience methods for programs that build agents.

  /** @type {API['discoverCommands']} */
  discoverCommands = async (options) => (await this.list({ ...options, kinds: ['command'] })).definitions;

  /** @type {API['discoverAgents']} */
  discoverAgents = async (options) => (await this.list({ ...options, kinds: ['agent'] })).definitions;

  /** @type {API['discoverSkills']} */
  discoverSkills = async (options) => (await this.list({ ...options, kinds: ['skill'] })).definitions;

  /** @type {API['discoverInstructions']} */
  discoverInstructions = async (options) => (await this.list({ ...options, kinds: ['instruction'] })).definitions;

  /** @type {API['getInstructionsForAgent']} */
  getInstructionsForAgent = async (agent, options) => {
    const result = await this.instructions({ ...options, agent });
    return { ...result, instructions: result.messages.map(([, text]) => text) };
  };

  /** @type {API['loadSkillContent']} */
  loadSkillContent = async (name, { agent, signal } = {}) => {
    try {
      return (await this.call('loadSkill', { name, agent }, signal)).content;
    } catch (error) {
      if (error instanceof VadeError && error.code === 'SKILL_NOT_FOUND') return undefined;
      throw error;
    }
  };

  /** @type {API['createLoadSkillTool']} */
  createLoadSkillTool = ({ agent } = {}) => ({
    name: 'loadSkill',
    description: 'Load a skill by name. Call this before working on a task that the skill is for.',
    inputSchema: {
      type: 'object',
      properties: { skillId: { type: 'string', description: 'The name of the skill' } },
      required: ['skillId'],
    },
    execute: async ({ skillId }, { signal } = {}) =>
      (await this.call('loadSkill', { name: skillId, agent }, signal)).content,
  });

  /** @type {API['buildClaudeAgentOptions']} */
  buildClaudeAgentOptions = async (all) => {
    /** @type {import('./index.js').ClaudeAgentBase} */
    const { mcpServers, ...base } = all ?? {};
    const { agent, agents, systemPrompt, allowedTools, plugins } = base;
    const { options } = await this.agentOptions({ base: { agent, agents, systemPrompt, allowedTools, plugins } });
    const servers = { ...options.mcpServers };
    if (options.allowedTools.includes('mcp__vade__loadSkill')) {
      servers.vade = await skillServer(this.createLoadSkillTool({ agent }));
    }
    // The other options are merged here, because functions cannot be sent as JSON.
    return /** @type {any} */ ({
      ...options, ...base, agents: options.agents, systemPrompt: options.systemPrompt, allowedTools: options.allowedTools,
      plugins: options.plugins, mcpServers: { ...servers, ...mcpServers },
    });
  };

  /** @type {API['buildCopilotSessionConfig']} */
  buildCopilotSessionConfig = async (base) => {
    /** @type {import('./index.js').CopilotSessionBase} */
    const { agent, customAgents = [], hooks, mcpServers, systemMessage, tools = [], ...rest } = base ?? {};
    const { config } = await this.call('sessionConfig', {});
    const yours = new Set(customAgents.map(({ name }) => name));
    const ours = config.customAgents.filter((/** @type {{name: string}} */ { name }) => !yours.has(name));
    const { name, description, inputSchema, execute } = this.createLoadSkillTool({ agent });
    // An agent's prompt already contains the skills and instructions.
    const asAgent = ours.some((/** @type {{name: string}} */ own) => own.name === agent);
    const content = [systemMessage?.content, asAgent ? '' : config.systemMessage.content].filter(Boolean).join('\n\n');
    return /** @type {any} */ ({
      ...config, ...rest, ...(agent && { agent }), customAgents: [...ours, ...customAgents],
      mcpServers: { ...config.mcpServers, ...mcpServers }, systemMessage: { mode: 'append', ...systemMessage, content },
      tools: [{ name, description, parameters: inputSchema, handler: execute, skipPermission: true, defer: 'never' }, ...tools],
      hooks: {
        ...hooks,
        onUserPromptSubmitted: async (/** @type {any} */ input, /** @type {any} */ invocation) => {
          const result = await hooks?.onUserPromptSubmitted?.(input, invocation) ?? {};
          const prompt = result.modifiedPrompt ?? input.prompt;
          if (!prompt.startsWith('/')) return result;
          const { error, command, skills = [] } = await this.load(prompt, { agent });
          if (error?.code === 'COMMAND_NOT_FOUND') return result;
          // The SDK ignores errors thrown by hooks.
          if (error) return { ...result, additionalContext: error.message };
          return { ...result, modifiedPrompt: [command, ...skills].flatMap((one) => one?.content ?? []).join('\n\n') };
        },
      },
    });
  };

  /** @type {API['registerWithCopilotSdk']} */
  registerWithCopilotSdk = async (client, base) => {
    const [config, commands] = await Promise.all([this.buildCopilotSessionConfig(base), this.discoverCommands()]);
    /** @type {any} */
    let session;
    session = await client.createSession({
      ...config,
      commands: [
        ...commands.map(({ name, description }) => ({
          name, description,
          handler: async (/** @type {any} */ { args }) => { await session.send({ prompt: `/${name} ${args}`.trim() }); },
        })),
        ...(config.commands ?? []),
      ],
    });
    return session;
  };

  /** Ends the process. Pending requests fail. */
  async close() {
    this.fail(new VadeError('the client is closed', 'CLOSED'));
    if (this.#exited) return;
    // The process exits when its stdin is closed.
    this.#child.stdin.end();
    this.#hold(true);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), CLOSE_TIME);
    await once(this.#child, 'exit');
    clearTimeout(timer);
  }

  [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() { return this.close(); }

  // Messages.

  /**
   * Calls a method on the catalog.
   * @param {string} method
   * @param {object} params
   * @param {AbortSignal} [signal]
   */
  call(method, params, signal) { return this.request(method, { catalog: this.catalog, ...params }, signal); }

  /**
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  request(method, params, signal) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#failure) throw this.#failure;
      const id = ++this.#lastID;
      const message = `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
      if (Buffer.byteLength(message) > MAX_MESSAGE) {
        throw new VadeError(`the request is longer than ${MAX_MESSAGE >> 20} MiB`, 'TOO_LONG');
      }
      const settle = (/** @type {(value: any) => void} */ done) => (/** @type {unknown} */ value) => {
        this.#pending.delete(id);
        signal?.removeEventListener('abort', abort);
        this.#hold();
        done(value);
      };
      const abort = () => {
        this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'cancel', params: { id } })}\n`);
        settle(reject)(signal?.reason);
      };
      signal?.addEventListener('abort', abort);
      this.#pending.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.#hold();
      this.#child.stdin.write(message);
    });
  }

  /** Fails all requests and watches, and kills the process unless the client was closed. */
  fail(/** @type {VadeError} */ error) {
    if (this.#failure) return;
    this.#failure = error;
    if (error.code !== 'CLOSED') this.#child.kill('SIGKILL');
    for (const { reject } of [...this.#pending.values()]) reject(error);
    for (const queue of this.#watches.values()) queue.wake?.();
  }

  /** Lets the child process keep this program running only while answers are expected. */
  #hold(on = this.#pending.size > 0 || this.#watches.size > 0) {
    for (const handle of /** @type {any[]} */ ([this.#child, ...this.#child.stdio])) {
      // Calling ref on a closed stream would make it wait for its next connection.
      if (!handle?.destroyed) handle?.[on ? 'ref' : 'unref']?.();
    }
  }

  #read(/** @type {Buffer} */ chunk) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; from = end + 1, end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#line, chunk.subarray(from, end)]).toString();
      this.#line = [];
      this.#length = 0;
      if (this.#failure) return;
      try {
        this.#receive(JSON.parse(line));
      } catch {
        this.fail(new VadeError(`${this.binary} wrote a line that is not a message: ${line.slice(0, 100)}`, 'INVALID_MESSAGE'));
      }
    }
    this.#line.push(chunk.subarray(from));
    this.#length += chunk.length - from;
    if (this.#length > MAX_MESSAGE) {
      this.#line = [];
      this.fail(new VadeError(`${this.binary} wrote a message longer than ${MAX_MESSAGE >> 20} MiB`, 'INVALID_MESSAGE'));
    }
  }

  #receive(/** @type {any} */ message) {
    if (message.method === 'changed') {
      const queue = this.#watches.get(message.params.watch);
      queue?.changes.push(message.params);
      queue?.wake?.();
      return;
    }
    // If there is no request, the message is a notification from a later version or the answer to a canceled request.
    const request = this.#pending.get(message.id);
    if (message.error) {
      const { message: text, code, data } = message.error;
      const error = new VadeError(text, data?.code ?? String(code), data);
      if (message.id === null) this.fail(error);
      request?.reject(error);
    } else {
      const watch = message.result?.watch;
      // Changes may follow immediately. If the request was canceled, nobody reads the watch.
      if (watch && request) this.#watches.set(watch, { changes: [] });
      if (watch && !request) this.#unwatch(watch);
      request?.resolve(message.result);
    }
  }

  #unwatch(/** @type {number} */ watch) {
    if (!this.#failure) this.request('unwatch', { watch }).catch(() => {});
  }

  #endError(/** @type {number | null} */ code, /** @type {string | null} */ killedBy) {
    const foreign = this.catalog === 0 && foreignProgram(this.binary);
    if (foreign) return wrongPlatform(this.binary);
    const how = killedBy ? `was killed by ${killedBy}` : `exited with code ${code}`;
    const text = this.#stderr.trim();
    return new VadeError(`${this.binary} ${how}${text && `: ${text}`}`, 'PROCESS_ENDED', { hint: 'open a new client' });
  }
}

function startError(/** @type {string} */ binary, /** @type {NodeJS.ErrnoException} */ error) {
  // Windows reports UNKNOWN for a program built for another operating system.
  if (['ENOEXEC', 'EBADARCH', 'UNKNOWN'].includes(error.code ?? '')) return wrongPlatform(binary, error);
  return new VadeError(`cannot start ${binary}: ${error.message}`, 'BINARY_NOT_FOUND', {
    cause: error,
    hint: 'install @vadehq/vade without --omit=optional, set VADE_BINARY, or add vade to PATH',
  });
}

function wrongPlatform(/** @type {string} */ binary, /** @type {unknown} */ cause = undefined) {
  return new VadeError(`${binary} is not a program for ${process.platform} on ${process.arch}`, 'WRONG_PLATFORM', {
    cause, hint: 'reinstall @vadehq/vade on this system, or set VADE_BINARY',
  });
}

/** Reports whether a file is a program for another platform. Some operating systems run it as a shell script. */
function foreignProgram(/** @type {string} */ file) {
  const head = Buffer.alloc(20);
  try {
    const fd = openSync(file, 'r');
    try {
      readSync(fd, head, 0, head.length, 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
  const magic = { ELF: '\x7fELF', machO: '\xcf\xfa\xed\xfe', windows: 'MZ' };
  const own = process.platform === 'win32' ? magic.windows : process.platform === 'darwin' ? magic.machO : magic.ELF;
  const text = head.toString('latin1');
  if (!text.startsWith(own)) return Object.values(magic).some((m) => text.startsWith(m));
  // Only ELF headers are checked for the processor.
  const machine = new Map([['x64', 62], ['arm64', 183]]).get(process.arch);
  return own === magic.ELF && machine !== undefined && head.readUInt16LE(18) !== machine;
}

/** Returns an in-process MCP server for the Claude Agent SDK that provides the tool. */
async function skillServer(/** @type {any} */ { name, description, execute }) {
  // These packages are installed only in programs that use the SDK.
  const [sdk, { z }] = await Promise.all(
    ['@anthropic-ai/claude-agent-sdk', 'zod'].map((/** @type {string} */ module) => import(module)));
  const tool = sdk.tool(name, description, { skillId: z.string() }, async (/** @type {any} */ input, /** @type {any} */ { signal } = {}) => {
    try {
      return { content: [{ type: 'text', text: await execute(input, { signal }) }] };
    } catch (error) {
      return { content: [{ type: 'text', text: /** @type {Error} */ (error).message }], isError: true };
    }
  }, { annotations: { readOnlyHint: true }, alwaysLoad: true });
  return sdk.createSdkMcpServer({ name: 'vade', tools: [tool] });
}
