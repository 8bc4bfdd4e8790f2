/** `stockroom torture --copy URL`: the copy of a server, which does not end by itself. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { TortureResult } from '../../../src/contract/admin/torture.ts';
import { makeHome } from '../../support/cli/home.ts';
import { findFreePort } from '../../support/servers/free-port.ts';

const FIXTURES = `tenants:
  - slug: shop
    name: Shop
    plan: enterprise
    items: [{ sku: BOLT, name: Bolt }]
    webhooks: [{ name: sync, targetUrl: 'http://127.0.0.1:9/hook', subscribedEvents: [inventory.item.updated] }]
`;
/** Keeps a copy of an item by webhooks; with --broken it trusts their order. It serves the copy, and renames the item three times. */
const SERVER = `
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
const [port, mode] = process.argv.slice(2);
const { STOCKROOM_URL, STOCKROOM_API_KEY } = process.env;
let copy;
createServer(async (request, response) => {
  if (request.method === 'POST') {
    const { data: { id, name, sequence } } = await json(request);
    if (mode === '--broken' || sequence > copy.sequence) copy = { id, name, sequence };
  } else if (copy === undefined) return response.writeHead(503).end();
  response.end(JSON.stringify({ items: [copy] }));
}).listen(Number(port), '127.0.0.1');
const send = async (method, path, body) => {
  const headers = { 'X-API-Key': STOCKROOM_API_KEY, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
  const response = await fetch(STOCKROOM_URL + path, { method, headers, body: body && JSON.stringify(body) });
  return (await response.json()).data;
};
const [webhook] = await send('GET', '/v1/webhooks');
await send('PATCH', '/v1/webhooks/' + webhook.id, { targetUrl: 'http://127.0.0.1:' + port });
const [{ id, name }] = await send('GET', '/v1/items');
copy = { id, name, sequence: 0 };
for (const next of ['A', 'B', 'C']) await send('PATCH', '/v1/items/' + id, { name: next });
`;

test('torture compares the copy that a server shows at a URL', { timeout: 180_000 }, async () => {
  await using home = await makeHome();
  const port = String(await findFreePort());
  const [fixtures, server] = [home.path('fixtures.yaml'), home.path('server.mjs')];
  writeFileSync(fixtures, FIXTURES);
  writeFileSync(server, SERVER);
  const copy = ['--fixtures', fixtures, '--copy', `http://127.0.0.1:${port}/copy`];
  const torture = async (...args: string[]) => {
    // The program does not repeat requests.
    const skip = ['--skip', 'lose-answer,limit-requests,expire-key,restart'];
    const { exit, stdout } = await home.run(['torture', '--json', ...copy, ...skip, ...args]);
    return { exit, ...(JSON.parse(stdout) as { data: TortureResult }).data };
  };
  const program = ['--', process.execPath, server, port];
  const found = await torture('--runs', '20', ...program, '--broken');
  expect(found).toMatchObject({ exit: 9, repeated: '4 of 4', reason: 'the copy differs from the service' });
  expect(found.differences).toEqual([expect.stringMatching(/^item BOLT [ABC]: name: "[AB]" in the copy, "C" in the service$/u)]);
  expect(await torture('--runs', '5', ...program)).toMatchObject({ exit: 0, runs: 5, failed: 0 });
  const unread = await home.run(['torture', ...copy, '--timeout', '2', '--', process.execPath, server, String(await findFreePort())]);
  expect(unread.exit).toBe(2);
  expect(unread.stderr).toMatch(/ {2}The copy cannot be read: .*\nError: The program fails without faults: did not end within 2 s$/u);
});
