// A server of tools on standard input and output, as small as one can be.
import { createInterface } from 'node:readline';

const tools = [{ name: 'assign', description: 'Give a task to another agent', inputSchema: { type: 'object', properties: { task: { type: 'string' } } } }];

function answer(request) {
  switch (request.method) {
    case 'initialize':
      return { protocolVersion: request.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'orchestration', version: '1' } };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return { content: [{ type: 'text', text: `assigned in mode ${process.env.DESK_MODE}` }] };
    default:
      return undefined;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.id === undefined) {
    continue;
  }
  const result = answer(request);
  const reply = result === undefined ? { error: { code: -32601, message: 'not found' } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...reply }) + '\n');
}
