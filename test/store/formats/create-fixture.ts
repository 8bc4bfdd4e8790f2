/**
 * Writes a data directory with the daemon of some release, and what its API returned, to a file: for stored-formats.test.ts.
 *
 *   node test/store/formats/create-fixture.ts CHECKOUT FORMAT      CHECKOUT is a built checkout of that release
 *
 * The directory has a checkpoint, a journal after it, and rows of most tables. The daemon is killed, not stopped.
 */
import { execa } from 'execa';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { StoredFormat } from '../stored-formats.ts';

const [checkout = '', format = ''] = process.argv.slice(2);
const PATHS = [
  '/v1/items',
  '/v1/orders?module=sell',
  '/v1/orders?module=buy',
  '/v1/contacts',
  '/v1/stock-documents',
  '/v1/stock-levels',
  '/v1/webhooks',
  '/v1/organization',
  '/v1/audit/events?limit=1000',
];
const STORE_FILES = /^(?:manifest\.json|(?:journal|checkpoint)-.*)$/u;
/** Nothing listens there. */
const TARGET = 'http://127.0.0.1:9/';

const home = await mkdtemp(join(tmpdir(), 'stockroom-format-'));
const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home };

async function run(...args: string[]): Promise<string> {
  return (await execa(process.execPath, [resolve(checkout, 'bin/run.js'), ...args], { env, extendEnv: false })).stdout;
}
async function json<T>(...args: string[]): Promise<T> {
  return JSON.parse(await run(...args, '--json')) as T;
}
const start = async (): Promise<{ pid: number; dataDir: string }> =>
  (await json<{ data: { pid: number; dataDir: string } }>('daemon', 'start', '--port', '0')).data;
let keys = 0;
const post = async (path: string, body: object): Promise<string> => {
  const args = ['--data', JSON.stringify(body), '--idempotency-key', `key-${keys++}`];
  return (await json<{ data: { id: string } }>('api', 'POST', path, ...args)).data.id;
};

await start();
const { secret } = await json<{ secret: string }>('keys', 'create', '--all-scopes', '--save');
await post('/v1/webhooks', {
  name: 'Receiver',
  targetUrl: TARGET,
  subscribedEvents: ['inventory.item.created', 'inventory.item.updated'],
});
await run('seed', '--items', '4', '--orders', '2');
const item = { name: 'Bolt "M6" · Ärmel', sku: 'B-1', notes: 'line\nbreak' };
const created = { path: '/v1/items', key: `key-${keys}`, body: item };
const itemId = await post(created.path, item);
const documentId = await post('/v1/stock-documents', { type: 'receipt', lines: [{ itemId, quantity: 12.5, unitCost: 0.2 }] });
await post(`/v1/stock-documents/${documentId}/submit`, {});
await post(`/v1/stock-documents/${documentId}/approve`, {});
await run('daemon', 'stop');

const { pid, dataDir } = await start();
await run('items', 'update', itemId, '--notes', 'changed after the checkpoint');
await run('items', 'delete', await post('/v1/items', { name: 'Removed' }), '--yes');
await post('/v1/stock-documents', { type: 'adjustment', reason: 'opening', lines: [{ itemId, quantity: 3, unitCost: 1 }] });
const replies: Record<string, unknown> = {};
for (const path of PATHS) replies[path] = await json('api', 'GET', path);
process.kill(pid, 'SIGKILL');

const files: Record<string, string> = {};
for (const name of await readdir(dataDir))
  if (STORE_FILES.test(name)) files[name] = (await readFile(join(dataDir, name))).toString('base64');
const fixture: StoredFormat = { apiKey: secret, created, replies, files };
const compressed = brotliCompressSync(JSON.stringify(fixture), { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
await writeFile(join(import.meta.dirname, `format-${format}.json.br`), compressed);
await rm(home, { recursive: true });
process.stdout.write(`${compressed.length} bytes\n`);
