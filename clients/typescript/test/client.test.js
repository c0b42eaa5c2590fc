// Tests of the client with the real program that VADE_BINARY names.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { open } from '../index.js';

const root = mkdtempSync(join(tmpdir(), 'vade-'));
const dir = join(root, 'project');
/** @type {import('../index.js').Client} */
let client;

before(async () => {
  cpSync(fileURLToPath(new URL('../../../testdata/unified', import.meta.url)), dir, { recursive: true });
  mkdirSync(join(dir, '.git'));
  client = await open({ dir, home: join(root, 'home'), managedDir: join(root, 'managed') });
});
after(async () => {
  await client.close();
  rmSync(root, { recursive: true });
});

const names = (list) => list.map((d) => d.name);

test('definitions', async () => {
  assert.match(client.version, /^\d+\./);
  assert.deepEqual(names(await client.discoverCommands()), ['label', 'review-pr', 'summarize']);
  assert.deepEqual(names(await client.discoverAgents()), ['architect', 'reviewer']);
  assert.ok(names(await client.discoverSkills()).includes('rest-api-design'));
  assert.ok(names(await client.discoverInstructions()).some((name) => name.includes('house')));
  const all = await client.list({ all: true });
  assert.equal(all.counts.shadowed, 4);
  assert.equal((await client.get('command', 'review-pr')).source, 'repo');
  await assert.rejects(client.get('command', 'review'), { name: 'VadeError', code: 'NOT_FOUND' });
  assert.equal((await client.search('review pull request')).definitions[0].name, 'review-pr');
  assert.equal((await client.explain('review-pr')).definitions[0].name, 'review-pr');
});

test('texts', async () => {
  const result = await client.load(['/review-pr', '7']);
  assert.ok(result.success);
  assert.match(result.command.content, /The pull request: 7\n$/);
  assert.equal((await client.load('/review-pr 7', { agent: 'architect' })).success, false);
  assert.match((await client.render('/review-pr 7')).messages[0][1], /The pull request: 7/);
  assert.match((await client.prompt({ agent: 'architect' })).text, /## Skill: design-patterns[^]*## Available Skills/);
  const composed = await client.getInstructionsForAgent('architect', { files: ['internal/api/api.go'] });
  const text = composed.instructions.join('\n');
  for (const want of ['<custom-instructions source="repo" agent="architect">', 'Speak of parcels', 'Write plans to']) {
    assert.ok(text.includes(want), `the instructions have not ${want}`);
  }
  assert.ok(composed.parts.some((part) => part.path.endsWith('go.instructions.md')));
  assert.ok(!(await client.instructions()).parts.some((part) => part.path.endsWith('go.instructions.md')));
  const host = await open({ dir, home: join(root, 'home'), host: 'claude-code' });
  assert.ok((await host.listing()).text !== undefined);
  await host.close();
});

test('prompts in a Copilot session', async () => {
  const { hooks } = await client.buildCopilotSessionConfig();
  const sent = async (/** @type {string} */ prompt) => hooks.onUserPromptSubmitted({ prompt }, {});
  assert.match((await sent('/review-pr 7')).modifiedPrompt, /The pull request: 7/);
  // The host's own commands and paths are not Vade's.
  assert.deepEqual(await sent('/compact'), {});
  assert.deepEqual(await sent('/etc/hosts is missing'), {});
});

test('skills', async () => {
  assert.match(await client.loadSkillContent('security'), /Whatever a customer typed is data/);
  assert.equal(await client.loadSkillContent('nothing'), undefined);
  const tool = client.createLoadSkillTool({ agent: 'architect' });
  assert.deepEqual(tool.inputSchema.required, ['skillId']);
  assert.match(await tool.execute({ skillId: 'security' }), /Whatever a customer typed is data/);
  await assert.rejects(tool.execute({ skillId: 'nothing' }), /design-patterns/);
});

test('reports', async () => {
  assert.ok((await client.check()).findings);
  assert.ok(await client.audit({ paths: ['.github/skills'] }));
  const { options, losses } = await client.agentOptions({ base: { maxTurns: 3 } });
  assert.equal(options.maxTurns, 3);
  assert.ok(options.agents.architect.prompt.includes('You are the architect of the parcel service.'));
  assert.ok(losses.some((loss) => loss.what === 'activation'));
});

test('100 concurrent calls', async () => {
  const calls = Array.from({ length: 100 }, (_, i) => (i % 2 ? client.get('skill', 'security') : client.list({ kinds: ['agent'] })));
  for (const [i, result] of (await Promise.all(calls)).entries()) {
    assert.equal(i % 2 ? result.name : result.definitions.length, i % 2 ? 'security' : 2);
  }
});

test('changes of files', async () => {
  const changes = client.watch();
  const next = changes.next();
  // Nothing indicates when the watch begins.
  let change;
  for (let i = 0; !change; i++) {
    mkdirSync(join(dir, `.github/skills/fresh${i}`));
    writeFileSync(join(dir, `.github/skills/fresh${i}/SKILL.md`), `---\ndescription: New\n---\nText ${i}\n`);
    change = await Promise.race([next, setTimeout(500)]);
  }
  // A skill that the watch saw half written is a change, not an addition.
  const { kind, name } = [...change.value.added, ...change.value.changed][0];
  assert.equal(kind, 'skill');
  await changes.return();
  assert.equal(await client.loadSkillContent(name), name.replace('fresh', 'Text ') + '\n');
});

test('a host that is not known', async () => {
  await assert.rejects(open({ dir, host: 'codx' }), { code: 'UNKNOWN_HOST' });
});
