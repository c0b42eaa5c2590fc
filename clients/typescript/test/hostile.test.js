// Tests of the client with a program that is missing or misbehaves.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { open, VadeError } from '../index.js';

const dir = mkdtempSync(join(tmpdir(), 'vade-'));
after(() => rmSync(dir, { recursive: true }));
const binary = fileURLToPath(new URL('fake.js', import.meta.url));

/** Opens a client for the program that misbehaves. */
const fake = (behavior, env) => open({ binary, env: { ...process.env, ...env, FAKE: behavior } });

/** Returns the error that a promise is rejected with, which must be a VadeError. */
async function failure(promise) {
  const error = await promise.then(() => assert.fail('it succeeded'), (e) => e);
  assert.ok(error instanceof VadeError, error);
  return error;
}

function running(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until a condition is true. */
async function until(condition) {
  while (!condition()) await sleep(10);
}

test('a program that cannot start', async () => {
  const notExecutable = join(dir, 'text');
  writeFileSync(notExecutable, 'x');
  for (const file of [join(dir, 'missing'), dir, notExecutable]) {
    assert.equal((await failure(open({ binary: file }))).code, 'BINARY_NOT_FOUND');
  }
});

test('a program of another system', async () => {
  for (const head of ['MZ\x90\0', '\xcf\xfa\xed\xfe', `\x7fELF${'\0'.repeat(14)}\x08\0`]) {
    const file = join(dir, 'foreign');
    writeFileSync(file, Buffer.from(head + '\0'.repeat(100), 'latin1'));
    chmodSync(file, 0o755);
    const error = await failure(open({ binary: file }));
    assert.equal(error.code, 'WRONG_PLATFORM', error.message);
    assert.match(error.hint, /reinstall/);
  }
});

for (const [behavior, code] of Object.entries({
  exits: 'PROCESS_ENDED', garbage: 'INVALID_MESSAGE', null: 'INVALID_MESSAGE', 'not open': 'PROTOCOL', newer: 'PROTOCOL',
  older: 'NEWER_PROTOCOL',
})) {
  test(`opening a program: ${behavior}`, async () => {
    const error = await failure(fake(behavior));
    assert.equal(error.code, code, error.message);
    if (behavior === 'exits') assert.match(error.message, /exited with code 3: no disk/);
  });
}

test('opening a program that says nothing', async () => {
  const log = join(dir, 'silent');
  const options = { binary, env: { ...process.env, FAKE: 'silent', FAKE_LOG: log } };
  assert.equal((await failure(open({ ...options, timeout: 500 }))).code, 'TIMEOUT');
  await assert.rejects(open({ ...options, signal: AbortSignal.timeout(500) }), { name: 'TimeoutError' });
  await assert.rejects(open({ ...options, signal: AbortSignal.abort() }), { name: 'AbortError' });
  for (const pid of readFileSync(log, 'utf8').trim().split('\n')) assert.ok(!running(Number(pid)));
});

for (const [behavior, code] of Object.entries({
  dies: 'PROCESS_ENDED', 'half a line': 'PROCESS_ENDED', 'long line': 'INVALID_MESSAGE',
})) {
  test(`calling a program: ${behavior}`, async () => {
    const client = await fake(behavior);
    const calls = Array.from({ length: 20 }, () => failure(client.get('skill', 'x')));
    for (const error of await Promise.all(calls)) assert.equal(error.code, code, error.message);
    assert.equal((await failure(client.get('skill', 'x'))).code, code);
    assert.equal((await failure(client.watch().next())).code, code);
    await client.close();
  });
}

test('errors have details', async () => {
  await using_(await fake('details'), async (client) => {
    const { code, message, hint, file, line, column } = await failure(client.get('skill', 'x'));
    assert.deepEqual({ code, message, hint, file, line, column },
      { code: 'BROKEN', message: 'broken', hint: 'fix it', file: 'a.md', line: 3, column: 2 });
  });
});

test('answers in any order', async () => {
  await using_(await fake('reverse'), async (client) => {
    const names = Array.from({ length: 100 }, (_, i) => `name-${i}`);
    const all = await Promise.all(names.map((name) => client.get('skill', name)));
    assert.deepEqual(all.map((a) => a.name), names);
  });
});

test('an aborted call is canceled', async () => {
  const log = join(dir, 'canceled');
  await using_(await fake('waits', { FAKE_LOG: log }), async (client) => {
    const controller = new AbortController();
    const call = client.get('skill', 'x', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
    await until(() => readFileSync(log, 'utf8').includes('"method":"cancel","params":{"id":2}'));
  });
});

test('a request that is too long', async () => {
  await using_(await fake('waits'), async (client) => {
    assert.equal((await failure(client.get('skill', 'x'.repeat(64 << 20)))).code, 'TOO_LONG');
  });
});

test('changes', async () => {
  await using_(await fake('changes'), async (client) => {
    const seen = [];
    for await (const change of client.watch()) {
      seen.push(...change.added);
      if (seen.length === 2) break;
      await client.get('skill', 'x');
    }
    assert.deepEqual(seen, [1, 2]);
  });
  const client = await fake('changes');
  const changes = client.watch();
  await changes.next();
  const ended = changes.next();
  await client.close();
  assert.deepEqual(await ended, { done: true, value: undefined });
  const controller = new AbortController();
  await using_(await fake('changes'), async (client) => {
    for await (const _ of client.watch({ signal: controller.signal })) controller.abort();
  });
});

test('closing', async () => {
  const log = join(dir, 'closing');
  const client = await fake('waits', { FAKE_LOG: log });
  const call = failure(client.get('skill', 'x'));
  await Promise.all([client.close(), client.close()]);
  assert.equal((await call).code, 'CLOSED');
  assert.equal((await failure(client.list())).code, 'CLOSED');
  assert.ok(!running(Number(readFileSync(log, 'utf8').split('\n')[0])));
});

test('closing a program that stays', { timeout: 20_000 }, async () => {
  const log = join(dir, 'stays');
  const client = await fake('stays', { FAKE_LOG: log });
  await client.close();
  assert.ok(!running(Number(readFileSync(log, 'utf8').split('\n')[0])));
});

test('no process outlives its program, and none keeps it running', async () => {
  for (const last of ['', 'process.kill(process.pid, "SIGKILL")']) {
    const log = join(dir, `orphan${last.length}`);
    const text = `import { open } from ${JSON.stringify(new URL('../index.js', import.meta.url).href)};
      const client = await open({ binary: ${JSON.stringify(binary)} });
      ${last}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', text],
      { env: { ...process.env, FAKE: 'waits', FAKE_LOG: log }, stdio: 'inherit' });
    const [code, signal] = await once(child, 'exit');
    assert.deepEqual([code, signal], last ? [null, 'SIGKILL'] : [0, null]);
    await until(() => !running(Number(readFileSync(log, 'utf8').split('\n')[0])));
  }
});

/** Calls f with a client, then closes the client. */
async function using_(client, f) {
  try {
    await f(client);
  } finally {
    await client.close();
  }
}
