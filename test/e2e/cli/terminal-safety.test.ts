/** Text from services, logs and records cannot control a terminal, whatever format and command print it. */
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getData } from '../../support/cli/daemon.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';

/** Clears the screen, sets the title, hides text, reverses it, and splits a surrogate pair; C0, C1 and DEL. */
const NASTY = '\u001b[2J\u001b]0;title\u0007\u001b[8mx\u009b31m\u202egpj.exe\u2066\u007f\rfake\ud800';
const STYLES = new RegExp(String.raw`\u001b\[(?:1|2|22|3[1236]|39)m`, 'gu');
const UNSAFE = /[^\P{Control}\n\t]|[\p{Surrogate}\u202a-\u202e\u2066-\u2069]/u;

const getId = (at: number): string => `0190b0c0-0000-7000-8000-${String(at).padStart(12, '0')}`;
const ITEM = { id: getId(1), name: NASTY, sku: `S${NASTY}`, type: 'product', isActive: true, notes: NASTY, [`field${NASTY}`]: NASTY };
const LIST = JSON.stringify({ data: [ITEM], pagination: { page: 1, pageSize: 50, total: 1, totalPages: 1 } });
const FAILURE = JSON.stringify({
  error: {
    code: 'VALIDATION_FAILED',
    message: `message ${NASTY}`,
    requestId: `id${NASTY}`,
    fields: [
      { in: 'body', path: `/a${NASTY}`, code: NASTY, message: NASTY },
      { in: 'query', path: `/b${NASTY}`, code: NASTY, message: NASTY },
    ],
    details: { [`detail${NASTY}`]: NASTY, rows: [{ [`column${NASTY}`]: NASTY }] },
  },
});

let home: Home;
let env: Record<string, string>;
const server = createServer((request, response) => {
  const fails = request.method === 'POST';
  const headers = { 'content-type': 'application/json', 'x-request-id': 'id', 'x-nasty': '\u009b2J' };
  response
    .writeHead(fails ? 400 : 200, headers)
    .end(fails ? FAILURE : request.url?.includes(ITEM.id) ? JSON.stringify({ data: ITEM }) : LIST);
});
beforeAll(async () => {
  home = await makeHome();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  env = { STOCKROOM_URL: url, STOCKROOM_API_KEY: 'pk_test_x', FORCE_COLOR: '1', NO_COLOR: '' };
});
afterAll(async () => {
  server.close();
  await home[Symbol.asyncDispose]();
});

describe('at a terminal', () => {
  test.for([
    ['items', 'list'],
    ['items', 'list', '--all'],
    ['items', 'list', '--json'],
    ['items', 'list', '--all', '--json'],
    ['items', 'list', '-o', 'ndjson'],
    ['items', 'list', '-o', 'csv'],
    ['items', 'list', '-o', 'yaml'],
    ['items', 'list', '--columns', 'name,notes'],
    ['items', 'get', ITEM.id],
    ['items', 'get', ITEM.id, '-o', 'csv'],
    ['items', 'get', ITEM.id, '-o', 'yaml'],
    ['items', 'create', '--name', 'Bolt'],
    ['items', 'create', '--name', 'Bolt', '--json'],
    ['items', 'export'],
    ['api', 'GET', '/v1/items', '--include'],
    ['api', 'GET', `/v1/items/${ITEM.id}`],
    ['api', 'POST', '/v1/items'],
    ['items', 'list', '--verbose'],
    [`items${NASTY}`],
  ])('%j prints no control characters', async (args) => {
    const { stdout, stderr } = await home.run(args, { env, columns: 100 });
    expect((stdout + stderr).length).toBeGreaterThan(10);
    for (const text of [stdout, stderr]) expect(text.replaceAll('\r\n', '\n').replaceAll(STYLES, '')).not.toMatch(UNSAFE);
  });

  test('JSON and YAML keep the values as escapes', async () => {
    const { stdout } = await home.run(['items', 'list', '--json'], { env, columns: 100 });
    expect((JSON.parse(stdout.replaceAll(STYLES, '')) as { data: unknown[] }).data).toEqual([ITEM]);
    const yaml = await home.run(['items', 'get', ITEM.id, '-o', 'yaml'], { env, columns: 100 });
    expect(yaml.stdout).toContain(String.raw`\u001b[2J\u001b]0;title\u0007`);
  });

  test('daemon logs prints no control characters', async () => {
    await home.start();
    const line = JSON.stringify({ level: 'warn', time: '2026-01-01T00:00:00.000Z', msg: NASTY, [NASTY]: NASTY, err: { stack: NASTY } });
    appendFileSync(join(getData(home), 'daemon.log'), `${line}\nplain ${NASTY}\n`);
    for (const args of [[], ['-o', 'csv'], ['--json']]) {
      const { stdout } = await home.run(['daemon', 'logs', ...args], { columns: 100 });
      expect(stdout).toContain('gpj.exe');
      expect(stdout.replaceAll('\r\n', '\n').replaceAll(STYLES, '')).not.toMatch(UNSAFE);
    }
  });
});

describe('in a pipe', () => {
  test.each([
    [['items', 'list', '--json'], `${LIST}\n`],
    [['items', 'get', ITEM.id, '--json'], `${JSON.stringify({ data: ITEM })}\n`],
    [['items', 'list', '-o', 'csv', '--columns', 'name'], `name\r\n"${NASTY.replace('\ud800', '\ufffd')}"\r\n`],
  ])('%j keeps every character', async (args, expected) => {
    const { stdout } = await home.run(args, { env: { ...env, FORCE_COLOR: '0' } });
    expect(`${stdout}\n`.replace('\n\n', '\n')).toBe(expected.replace(/\r\n$/u, '\n'));
  });

  test('messages on stderr contain no control characters', async () => {
    const { exit, stderr } = await home.run(['items', 'create', '--name', 'Bolt'], { env });
    expect(exit).toBeGreaterThan(0);
    expect(stderr).toContain('gpj.exe');
    expect(stderr.replaceAll(STYLES, '')).not.toMatch(UNSAFE);
  });
});
