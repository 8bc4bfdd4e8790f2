/**
 * Writes a data directory in which a release before the variances of reversals distorted levels, and what its API returned, to a file: for
 * distorted-levels.test.ts. The file in the repository was written by the code of commit dfd3c18.
 *
 *   node test/store/formats/create-distorted.ts CHECKOUT      CHECKOUT is a built checkout of that release
 */
import { execa } from 'execa';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { DistortedStore } from '../distorted-store.ts';

const [checkout = ''] = process.argv.slice(2);
const STORE_FILES = /^(?:manifest\.json|(?:journal|checkpoint)-.*)$/u;

const home = await mkdtemp(join(tmpdir(), 'stockroom-distorted-'));
const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home };
const run = async (...args: string[]): Promise<string> =>
  (await execa(process.execPath, [resolve(checkout, 'bin/run.js'), ...args], { env, extendEnv: false })).stdout;
const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await run(...args, '--json')) as T;

const { data: daemon } = await json<{ data: { pid: number; dataDir: string; url: string } }>('daemon', 'start', '--port', '0');
const { secret } = await json<{ secret: string }>('keys', 'create', '--all-scopes', '--save');
process.once('uncaughtException', (error) => {
  process.kill(daemon.pid);
  throw error;
});
const second = (await json<{ data: { id: string } }>('sites', 'create', '--name', 'Second')).data.id;

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(daemon.url + path, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      'idempotency-key': randomUUID(),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as T;
}
const create = async (path: string, body: object): Promise<string> => (await call<{ data: { id: string } }>('POST', path, body)).data.id;
const item = (sku: string): Promise<string> => create('/v1/items', { name: sku, sku, purchasePrice: 10 });
async function post(document: object): Promise<string> {
  const id = await create('/v1/stock-documents', document);
  await call('POST', `/v1/stock-documents/${id}/submit`, {});
  await call('POST', `/v1/stock-documents/${id}/approve`, {});
  return id;
}
const receive = (itemId: string, quantity: number, unitCost: number, siteId?: string): Promise<string> =>
  post({ type: 'receipt', siteId, lines: [{ itemId, quantity, unitCost }] });
const issue = (itemId: string, quantity: number, siteId?: string): Promise<string> =>
  post({ type: 'issue', siteId, lines: [{ itemId, quantity }] });
const cancel = (id: string): Promise<unknown> => call('POST', `/v1/stock-documents/${id}/cancel`, {});

const empty = await item('EMPTY');
await cancel(await receive(empty, 10, 1_000));

const counted = await item('COUNTED');
await cancel(await receive(counted, 10, 1_000));
await post({ type: 'count', lines: [{ itemId: counted, countedQuantity: 5 }] });

const moved = await item('MOVED');
await receive(moved, 10, 100);
await receive(moved, 90, 10, second);
const transferId = await post({ type: 'transfer', toSiteId: second, lines: [{ itemId: moved, quantity: 10 }] });
await issue(moved, 90, second);
await cancel(transferId);

const few = await item('FEW');
const cheap = await receive(few, 10, 1);
await receive(few, 10, 100);
await issue(few, 9);
await cancel(cheap);

const healthy = await item('HEALTHY');
await receive(healthy, 3, 7);
await cancel(await receive(healthy, 2, 9));
await issue(healthy, 1);

await run('tenants', 'update', 'local', '--set', 'negativeStock=allow');
const owed = await item('OWED');
const expensive = await receive(owed, 10, 100);
await receive(owed, 100, 10);
await issue(owed, 101);
await cancel(expensive);

const { ok } = (await json<{ data: { ok: boolean } }>('doctor')).data;
if (!ok) throw new Error('the release found the distortion itself');
const replies: Record<string, unknown> = {};
for (const path of [
  '/v1/stock-levels?include_zero=true',
  '/v1/stock-documents?page_size=200',
  `/v1/stock-documents/${transferId}?include=lines`,
])
  replies[path] = await call('GET', path);
process.kill(daemon.pid, 'SIGKILL');

const files: Record<string, string> = {};
for (const name of await readdir(daemon.dataDir))
  if (STORE_FILES.test(name)) files[name] = (await readFile(join(daemon.dataDir, name))).toString('base64');
const fixture: DistortedStore = { apiKey: secret, transferId, replies, files };
const compressed = brotliCompressSync(JSON.stringify(fixture), { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
await writeFile(join(import.meta.dirname, 'distorted-levels.json.br'), compressed);
await rm(home, { recursive: true });
process.stdout.write(`${compressed.length} bytes\n`);
