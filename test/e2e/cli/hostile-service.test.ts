/** A broken or hostile service ends a command with one clear error: never with a stack trace, an endless loop or all memory. */
import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RESPONSE_MAX_BYTES } from '../../../src/contract/limits.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';

let home: Home;
let respond: (response: ServerResponse, url: URL) => void;
let count = 0;
const server = createServer((request, response) => {
  count += 1;
  response.on('error', () => undefined);
  respond(response, new URL(request.url ?? '', 'http://localhost'));
});
beforeAll(async () => {
  home = await makeHome();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await home[Symbol.asyncDispose]();
});

async function run(...args: string[]): Promise<{ exit: number; message: string }> {
  count = 0;
  const env = { STOCKROOM_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, STOCKROOM_API_KEY: 'pk_test_x' };
  const { exit, stdout, stderr } = await home.run([...args, '--max-wait', '0'], { env });
  expect(stdout + stderr).not.toContain('bug in stockroom');
  return { exit, message: stderr };
}

const ROW = { id: '0190b0c0-0000-7000-8000-000000000001', name: 'Bolt', createdAt: '2026-01-01T00:00:00.000Z' };
const answer =
  (body: unknown): typeof respond =>
  (response) =>
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
const LAST_PAGE = { page: 1, pageSize: 50, total: 1, totalPages: 1 };
const UNEXPECTED = 'Unexpected response from the service';

test.each([
  ['rows that are null', { data: [null], pagination: LAST_PAGE }, 'data[0] is null'],
  ['rows that are texts', { data: ['x'], pagination: LAST_PAGE }, 'data[0] is not an object'],
  ['fields of another kind', { data: [{ ...ROW, name: { deep: 1 } }], pagination: LAST_PAGE }, 'data[0].name is not a string'],
  ['page numbers that are texts', { data: [ROW], pagination: { ...LAST_PAGE, totalPages: 'x' } }, 'pagination.totalPages is not a number'],
  ['deep nesting', `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)},"pagination":{}}`, 'more than 500 levels of nesting'],
])('%s are reported as an unexpected response', async (_kind, body, problem) => {
  respond = answer(body);
  for (const args of [
    ['items', 'list'],
    ['items', 'list', '--all'],
    ['items', 'export'],
  ]) {
    const { exit, message } = await run(...args);
    expect(exit).toBe(7);
    expect(message).toContain(UNEXPECTED);
    expect(message).toContain(problem);
  }
});

test('a response without an end is aborted at the limit', async () => {
  const chunk = Buffer.alloc(1_048_576, ' ');
  let sent = 0;
  respond = (response) => {
    const send = (): void => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) break;
      }
    };
    response.on('drain', send);
    send();
  };
  const { exit, message } = await run('items', 'list');
  expect(exit).toBe(7);
  expect(message).toContain(`it is larger than ${String(RESPONSE_MAX_BYTES)} bytes`);
  expect(sent).toBeLessThan(2 * RESPONSE_MAX_BYTES);
});

test.each([
  ['the same page', { data: [ROW], pagination: { page: 1, pageSize: 1, total: 1e9, totalPages: 1e9 } }],
  ['empty pages', { data: [], pagination: { page: 1, pageSize: 1, total: 1e9, totalPages: 1e9 } }],
])('a list that returns %s forever is reported', async (_kind, body) => {
  respond = answer(body);
  for (const args of [
    ['items', 'list', '--all'],
    ['items', 'export'],
    ['api', 'GET', '/v1/items', '--paginate'],
  ]) {
    const { exit, message } = await run(...args);
    expect(exit, args.join(' ')).toBe(7);
    expect(message).toContain(UNEXPECTED);
    expect(count).toBeLessThan(20);
  }
});

test('a list whose pages do not overlap is reported', async () => {
  const createRows = (page: number) => [{ ...ROW, id: `0190b0c0-0000-7000-8000-${String(page % 2).padStart(12, '0')}` }];
  respond = (response, url) => {
    const page = Number(url.searchParams.get('page'));
    answer({ data: createRows(page), pagination: { page, pageSize: 1, total: 1e9, totalPages: 1e9 } })(response, url);
  };
  const { exit, message } = await run('items', 'export');
  expect(exit).toBe(7);
  expect(message).toContain('its pages do not overlap');
});

test('an audit trail that returns the same cursor forever is reported', async () => {
  const pagination = { hasMore: true, nextCursor: { createdAt: ROW.createdAt, id: ROW.id } };
  respond = answer({ data: [{ id: ROW.id, createdAt: ROW.createdAt }], pagination });
  const { exit, message } = await run('audit', 'export');
  expect(exit).toBe(7);
  expect(message).toContain('a page that was already read');
});
