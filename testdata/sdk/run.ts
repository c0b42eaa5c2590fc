// The program of TestAgentSDK: one session with the exported options.
import { query } from '@anthropic-ai/claude-agent-sdk';
import type { Options } from '@anthropic-ai/claude-agent-sdk';
import { vadeAgents, vadeCommand, vadeOptions } from './vade-options.js';

const base: Partial<Options> = {
  env: process.env,
  maxTurns: 8,
  allowedTools: ['Read'],
  agents: { own: { description: 'An agent of the program', prompt: 'You belong to the program.' } },
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'What the program says itself.' },
  stderr: (line) => process.stderr.write(line),
};

function refused(agent: string): string {
  try {
    return vadeCommand('/review-pr 7', agent);
  } catch (error) {
    return (error as Error).message;
  }
}

/** How often a long line of blanks is looked at for each of its characters. */
function looks(length: number): number {
  const charAt = String.prototype.charAt;
  const test = RegExp.prototype.test;
  let count = 0;
  String.prototype.charAt = function (at: number): string {
    count++;
    return charAt.call(this, at);
  };
  RegExp.prototype.test = function (text: string): boolean {
    count += text.length;
    return test.call(this, text);
  };
  try {
    const blanks = ' '.repeat(length);
    vadeCommand(`/summarize${blanks}x`);
    vadeCommand(`/summarize x${blanks}y`);
    vadeCommand(`/summarize "${blanks}`);
    vadeCommand(`${blanks}/summarize${blanks}`);
  } finally {
    String.prototype.charAt = charAt;
    RegExp.prototype.test = test;
  }
  return count / length;
}

const options = vadeOptions(base);
console.log(JSON.stringify({
  allowedTools: options.allowedTools,
  plugins: options.plugins,
  looks: [looks(40_000), looks(80_000)],
  blanks: vadeCommand(`/summarize${' '.repeat(80_000)}x`),
  architecture: vadeAgents.get('architect')?.hasArchitectureAccess,
  summary: vadeCommand('/summarize "a b" c'),
  refused: refused('architect'),
  let: refused('reviewer'),
  asAgent: vadeOptions({ agent: 'architect' }).systemPrompt,
  asOwn: vadeOptions({ ...base, agent: 'own' }).systemPrompt,
}));
for await (const message of query({ prompt: vadeCommand('/review-pr 7'), options })) {
  if (message.type === 'result') {
    console.log(JSON.stringify(message));
  }
}
