// Types of the results of vade rpc, generated from Go by internal/rpc/schema_test.go. Do not edit.

export interface AgentOptions {
  diagnostics: Diagnostic[];
  losses: HostLoss[];
  options: Record<string, unknown>;
}

export interface Attachment {
  input: unknown;
  path: string;
  tool: string;
  content?: string;
  notRead?: string;
}

export interface Audit {
  packages: AuditPackage[];
  persona: string;
  schema: number;
  skipped: AuditSkipped[];
  summary: AuditSummary;
}

export interface AuditFinding {
  confidence: string;
  fingerprint: string;
  id: string;
  message: string;
  name: string;
  severity: "clean" | "inform" | "review" | "block";
  also?: string[];
  column?: number;
  cwe?: number[];
  digest?: string;
  endColumn?: number;
  endLine?: number;
  fix?: string;
  line?: number;
  more?: number;
  owasp?: string;
  packed?: string;
  path?: string;
  suppressed?: Suppressed;
  why?: string;
}

export interface AuditPackage {
  coverage: Coverage;
  findings: AuditFinding[];
  kind: string;
  name: string;
  path: string;
  verdict: "clean" | "inform" | "review" | "block";
  capabilities?: Manifest;
  digest?: string;
  layer?: string;
  main?: string;
  reason?: string;
}

export interface AuditSkipped {
  path: string;
  reason: string;
}

export interface AuditSummary {
  block: number;
  clean: number;
  inform: number;
  packages: number;
  partly: number;
  review: number;
  suppressed: number;
}

export interface BashExpansion {
  command: string;
  executed: boolean;
  column?: number;
  decision?: ShellDecision;
  durationMs?: number;
  error?: ExpansionError;
  exitCode?: number;
  in?: string;
  line?: number;
  notRead?: number;
  output?: string;
  quoted?: boolean;
  redacted?: boolean;
  sandbox?: Sandbox;
  truncated?: boolean;
}

export interface Capability {
  declared: boolean;
  kind: string;
  used: boolean;
  what: string;
  line?: number;
  path?: string;
}

export interface CarriedHook {
  event: string;
  layer: string;
  path: string;
  type: string;
  command?: string;
  matcher?: string;
  plugin?: string;
}

export interface CarriedServer {
  layer: string;
  name: string;
  path: string;
  type: string;
  command?: string;
  held?: string;
  plugin?: string;
  url?: string;
}

export interface Changed {
  added: Reference[];
  catalog: number;
  changed: Reference[];
  removed: Reference[];
  watch: number;
}

export interface Check {
  checked: number;
  directory: string;
  excluded: number;
  excludedErrors: number;
  findings: CheckFinding[];
  hosts: CheckedHost[];
  known: number;
}

export interface CheckFinding {
  code: string;
  fingerprint: string;
  message: string;
  path: string;
  severity: "info" | "warning" | "error";
  column?: number;
  edit?: Edit;
  endColumn?: number;
  endLine?: number;
  fix?: string;
  hosts?: string[];
  line?: number;
  notLoaded?: string[];
}

export interface CheckedHost {
  host: string;
  version: string;
  why: string;
}

export interface CommandDecision {
  argv: string[];
  code?: string;
  grant?: string;
  open?: boolean;
  reason?: string;
  runs?: string;
}

export interface Content {
  content: string;
  description: string;
  frontmatter: Record<string, unknown>;
  kind: "skill" | "command" | "agent" | "instruction" | "workflow";
  layer: string;
  name: string;
  path: string;
  raw: string;
  sizeKb: number;
  title: string;
  audit?: LoadVerdict;
  digest?: string;
  plugin?: string;
  shadowed?: string[];
}

export interface CopilotAgent {
  description: string;
  name: string;
  prompt: string;
  mcpServers?: Record<string, unknown>;
  model?: string;
  reasoningEffort?: unknown;
  tools?: string[];
}

export interface CopilotConfig {
  customAgents: CopilotAgent[];
  mcpServers: Record<string, unknown>;
  skipCustomInstructions: boolean;
  systemMessage: CopilotMessage;
}

export interface CopilotMessage {
  content: string;
  mode: string;
}

export interface Counts {
  byKind: Record<string, number>;
  byLayer: Record<string, number>;
  disabled: number;
  dropped: number;
  found: number;
  hooks: number;
  loaded: number;
  mcpServers: number;
  shadowed: number;
  withProblems: number;
  bundledOff?: number;
  copies?: number;
  mcpServersHeld?: number;
}

export interface Coverage {
  bytes: number;
  complete: boolean;
  files: number;
  missed?: Missed[];
}

export interface Cut {
  name: string;
  path: string;
  reason: string;
}

export interface Definition {
  description: string;
  kind: "skill" | "command" | "agent" | "instruction" | "workflow";
  layer: string;
  name: string;
  path: string;
  size: number;
  source: string;
  state: string;
  title: string;
  tokens: DefinitionTokens;
  agent?: string;
  agents?: string[];
  aliases?: string[];
  allowedTools?: string[];
  argumentHint?: string;
  arguments?: string[];
  compatibility?: string;
  context?: string;
  diagnostics?: Diagnostic[];
  disableModelInvocation?: boolean;
  disallowedTools?: string[];
  effort?: string;
  excludeAgent?: string[];
  hasArchitectureAccess?: boolean;
  hooks?: TurnHook[];
  hosts?: string[];
  keywords?: string[];
  legacy?: boolean;
  license?: string;
  mcpServers?: boolean;
  model?: string;
  nested?: string;
  paths?: string[];
  plugin?: string;
  reason?: string;
  reasonCode?: string;
  requires?: string;
  root?: string;
  sameAs?: string;
  shadowedBy?: string;
  shell?: string;
  skills?: string[];
  target?: string;
  tools?: string[];
  unknownFields?: string[];
  userInvocable?: boolean;
  version?: string;
  whenToUse?: string;
}

export interface DefinitionTokens {
  listing: number;
  total: number;
}

export interface Diagnostic {
  code: string;
  message: string;
  severity: "info" | "warning" | "error";
  column?: number;
  edit?: Edit;
  endColumn?: number;
  endLine?: number;
  file?: string;
  fix?: string;
  line?: number;
}

export interface Edit {
  end: number;
  new: string;
  start: number;
}

export interface ExpansionError {
  code: string;
  message: string;
  fix?: string;
  reason?: string;
  stderr?: string;
}

export interface Expansions {
  bash: BashExpansion[];
  files: FileExpansion[];
}

export interface Explain {
  definitions: ExplainedFile[];
  diagnostics: Diagnostic[];
  hosts: ExplainedHost[];
}

export interface ExplainedFile {
  kind: "skill" | "command" | "agent" | "instruction" | "workflow";
  layer: string;
  name: string;
  path: string;
  verdicts: Verdict[];
  copyOf?: string;
  otherPaths?: string[];
  plugin?: string;
  problems?: Diagnostic[];
  root?: string;
}

export interface ExplainedHost {
  host: string;
  version: string;
}

export interface FileExpansion {
  reference: string;
  resolved: boolean;
  column?: number;
  content?: string;
  error?: ExpansionError;
  in?: string;
  line?: number;
  path?: string;
}

export interface FilePart {
  bytes: number;
  layer: string;
  path: string;
  text: string;
  file?: string;
  importedBy?: string;
  pattern?: string;
}

export interface HostLoss {
  host: string;
  message: string;
  name: string;
  source: string;
  what: string;
  fix?: string;
  inPlace?: boolean;
  kind?: "skill" | "command" | "agent" | "instruction" | "workflow";
  line?: number;
  whole?: boolean;
  widens?: boolean;
}

export interface IgnoredField {
  field: string;
  reason: string;
}

export interface Instructions {
  diagnostics: Diagnostic[];
  host: string;
  messages: Array<[string, string]>;
  parts: FilePart[];
  version: string;
}

export interface Isolation {
  abi: number;
  exec: boolean;
  files: boolean;
  network: boolean;
  syscalls: boolean;
  reason?: string;
}

export interface List {
  counts: Counts;
  definitions: Definition[];
  diagnostics: Diagnostic[];
  hooks: CarriedHook[];
  mcpServers: CarriedServer[];
}

export interface Listing {
  agents: string[];
  agentsText: string;
  cut: Cut[];
  diagnostics: Diagnostic[];
  host: string;
  skills: string[];
  skipped: Skipped[];
  text: string;
  version: string;
  tools?: string[];
}

export interface Load {
  success: boolean;
  agent?: Content;
  command?: Content;
  diagnostics?: Diagnostic[];
  error?: LoadError;
  expansions?: Expansions;
  instruction?: Content;
  metadata?: Metadata;
  skills?: Content[];
}

export interface LoadError {
  code: string;
  message: string;
  agents?: string[];
  available?: string[];
  availableSkills?: string[];
  findings?: LoadFinding[];
  fix?: string;
  searchedPaths?: string[];
}

export interface LoadFinding {
  digest: string;
  id: string;
  message: string;
  name: string;
  severity: string;
  line?: number;
  more?: number;
  path?: string;
  suppressed?: string;
}

export interface LoadSkill {
  content: string;
  description: string;
  diagnostics: Diagnostic[];
  digest: string;
  id: string;
  keywords: string[];
  name: string;
  path: string;
  source: string;
  tokens: number;
}

export interface LoadVerdict {
  complete: boolean;
  mode: string;
  approved?: boolean;
  findings?: LoadFinding[];
  verdict?: string;
}

export interface Manifest {
  capabilities: Capability[];
  complete: boolean;
  declares: boolean;
  more?: number;
}

export interface Metadata {
  totalTokensEstimate: number;
  expandedAt?: string;
  loadedAt?: string;
  skillsLoaded?: number;
  totalSizeKb?: number;
}

export interface Missed {
  path: string;
  reason: string;
  note?: string;
  size?: number;
}

export interface Open {
  catalog: number;
  protocol: number;
  version: string;
}

export interface Prompt {
  agent: string;
  characters: number;
  cut: Cut[];
  diagnostics: Diagnostic[];
  host: string;
  parts: PromptPart[];
  text: string;
  tokens: number;
  version: string;
}

export interface PromptPart {
  characters: number;
  text: string;
  tokens: number;
  what: string;
  name?: string;
  path?: string;
}

export interface Reference {
  kind: "skill" | "command" | "agent" | "instruction" | "workflow";
  name: string;
}

export interface Render {
  attached: Attachment[];
  diagnostics: Diagnostic[];
  error: LoadError | null;
  host: string;
  messages: Array<[string, string]>;
  version: string;
  noListing?: boolean;
  turn?: Turn;
}

export interface Sandbox {
  mode: string;
  isolation?: Isolation;
}

export interface Search {
  definitions: Definition[];
  more: number;
}

export interface SessionConfig {
  config: CopilotConfig;
  diagnostics: Diagnostic[];
  losses: HostLoss[];
}

export interface ShellDecision {
  allow: boolean;
  commands: CommandDecision[];
  code?: string;
  column?: number;
  line?: number;
  reason?: string;
}

export interface Skipped {
  kind: "skill" | "command" | "agent" | "instruction" | "workflow";
  name: string;
  path: string;
  reason: string;
}

export interface Suppressed {
  by: string;
  reason?: string;
}

export interface Turn {
  agent?: string;
  allowedTools?: string[];
  disallowedTools?: string[];
  effort?: string;
  fork?: boolean;
  forkResult?: string;
  hooks?: TurnHook[];
  model?: string;
  system?: string;
}

export interface TurnHook {
  command: string;
  event: string;
  type: string;
  matcher?: string;
}

export interface Verdict {
  basis: string;
  cell: string;
  host: string;
  state: string;
  activation?: string[];
  beside?: string[];
  code?: string;
  diagnostics?: Diagnostic[];
  fix?: string;
  ignored?: IgnoredField[];
  kind?: string;
  listed?: string;
  listedWhy?: string;
  listing?: string;
  lost?: string[];
  modelCall?: string;
  name?: string;
  notes?: string[];
  path?: string;
  random?: boolean;
  reads?: string[];
  reason?: string;
  shadowedBy?: string;
  shadows?: string[];
  then?: string;
  trust?: string;
  userCall?: string;
}
