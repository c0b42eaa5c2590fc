#!/usr/bin/env node
// A program that is run instead of vade and misbehaves. The environment variable FAKE selects the behavior.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const behavior = process.env.FAKE;
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const waiting = [];

if (process.env.FAKE_LOG) appendFileSync(process.env.FAKE_LOG, `${process.pid}\n`);
if (behavior === 'exits') {
  process.stderr.write('no disk\n');
  process.exit(3);
}
// Every other behavior ends when stdin is closed.
if (behavior === 'stays') setInterval(() => {}, 1000);
if (behavior === 'silent') process.stdin.resume();

if (behavior !== 'silent') createInterface({ input: process.stdin }).on('line', (line) => {
  if (process.env.FAKE_LOG) appendFileSync(process.env.FAKE_LOG, `${line}\n`);
  const { id, method, params } = JSON.parse(line);
  if (method === 'open') {
    if (behavior === 'garbage') process.stdout.write('panic: oh no\n');
    else if (behavior === 'null') process.stdout.write('null\n');
    else if (behavior === 'not open') write({ id, result: [] });
    else if (behavior === 'newer') write({ id, result: { catalog: 1, protocol: 2, version: '9.0.0' } });
    else if (behavior === 'older') {
      write({ id, error: { code: -32001, message: 'vade 0.0.1 does not know protocol 1', data: { code: 'NEWER_PROTOCOL', hint: 'update vade' } } });
    } else write({ id, result: { catalog: 1, protocol: 1, version: '0.0.0', news: true } });
    return;
  }
  waiting.push({ id, params });
  if (behavior === 'dies' && waiting.length === 20) process.kill(process.pid, 'SIGKILL');
  if (behavior === 'closes stdout') process.stdout.destroy();
  if (behavior === 'half a line') process.stdout.write('{"jsonrpc":"2.0","id":2,"resu', () => process.exit(5));
  if (behavior === 'long line') process.stdout.write('x'.repeat(65 << 20));
  if (behavior === 'details') {
    write({ id, error: { code: -32000, message: 'broken', data: { code: 'BROKEN', hint: 'fix it', file: 'a.md', line: 3, column: 2 } } });
  }
  if (behavior === 'reverse' && waiting.length === 100) {
    write({ method: 'news', params: {} });
    write({ id: 999, result: 1 });
    for (const { id, params } of waiting.reverse()) write({ id, result: { name: params.name } });
  }
  if (behavior === 'changes') {
    // The answer and the first change arrive at the same time.
    if (method === 'watch') process.stdout.write(`{"id":${id},"result":{"watch":7}}\n{"method":"changed","params":{"watch":7,"added":[1]}}\n`);
    if (method === 'get') {
      write({ method: 'changed', params: { watch: 7, added: [2] } });
      write({ method: 'changed', params: { watch: 8, added: [3] } });
      write({ id, result: {} });
    }
  }
});
