// A session of the Claude Agent SDK with definitions from the client at run time.
import { query } from '@anthropic-ai/claude-agent-sdk';
import { open } from '@vadehq/vade';

const vade = await open();
const options = await vade.buildClaudeAgentOptions({
  env: process.env,
  maxTurns: 8,
  agents: { own: { description: 'An agent of the program', prompt: 'You belong to the program.' } },
  systemPrompt: { type: 'preset' as const, preset: 'claude_code' as const, append: 'What the program says itself.' },
});
const { command } = await vade.load('/review-pr 7');
for await (const message of query({ prompt: command?.content ?? '', options })) {
  if (message.type === 'result') {
    console.log(JSON.stringify(message));
  }
}
await vade.close();
