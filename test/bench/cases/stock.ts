/** Stock: approving a document of a hundred lines, whatever the number of rows, and pages of levels beside pages of items. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { API_KEY, IDEMPOTENCY_KEY } from '../../../src/contract/headers.ts';
import { PAGE_SIZE_DEFAULT } from '../../../src/contract/limits.ts';
import type { Arm } from '../servers.ts';
import type { Case, Data } from '../bench.ts';
import type { Shot } from '../load-generator.ts';
import { measure, median, pairedRatio } from '../rounds.ts';
import { itemRecord, scatter } from '../catalog-rows.ts';
import { listPages } from '../requests.ts';

const FEW_ROWS = 1_000;
const LINES = 100;
const APPROVE_MS = 10;
const APPROVALS = 40;
const CONNECTIONS = 16;

export const stockCase: Case = {
  name: 'stock',
  about: 'approving a document of 100 lines; a filtered page of levels beside a page of items',
  async run(bench) {
    const [few, all] = [await bench.data(FEW_ROWS), await bench.data()];
    const [large, small] = [await stocked(all, bench.rows), await stocked(few, FEW_ROWS)];
    return bench.using(
      [bench.daemon({ directory: large.directory }), bench.daemon({ directory: small.directory })],
      async (ours, other) => {
        bench.say('stock: pages');
        const filters = [`site_id=${large.north}`, 'low_stock=true', 'item_type=material', 'sort=-on_hand'];
        const pages: Shot[] = listPages(all.keys, bench.rows).map((shot, n) => {
          const page = 1 + (scatter(n, 80) % Math.max(1, Math.floor(bench.rows / PAGE_SIZE_DEFAULT / 8)));
          return { ...shot, path: `/v1/stock-levels?${filters[n % filters.length] ?? ''}&page=${String(page)}` };
        });
        const job = (shots: Shot[]) => ({ arm: ours, job: { connections: CONNECTIONS, shots } });
        const [levels = [], items = []] = await measure(bench.load, [job(pages), job(listPages(all.keys, bench.rows))], bench.effort);
        const p50 = (loads: typeof levels) => loads.map((load) => load.p50);

        bench.say('stock: approvals');
        const times: { mine: number[]; theirs: number[] } = { mine: [], theirs: [] };
        for (let round = 0; round < (bench.quick ? 5 : APPROVALS); round += 1) {
          times.mine.push(await approval(ours, all, bench.rows, round));
          times.theirs.push(await approval(other, few, FEW_ROWS, round));
        }
        return [
          {
            case: 'stock-levels',
            what: 'page of levels with a filter, p50 over the page of items',
            ours: { value: median(p50(levels)), unit: 'ms' },
            baseline: { value: median(p50(items)), unit: 'ms' },
            ratio: pairedRatio(p50(levels), p50(items)),
            target: { of: 'ratio', atMost: 1.5 },
            detail: { levels, items },
          },
          {
            case: 'stock-approve',
            what: `approve ${String(LINES)} lines, whole reply`,
            ours: { value: median(times.mine), unit: 'ms' },
            target: { of: 'ours', atMost: APPROVE_MS },
            detail: times,
          },
          {
            case: 'stock-growth',
            what: `approve ${String(LINES)} lines with ${bench.rows.toLocaleString('en')} items over 1,000`,
            ours: { value: median(times.mine), unit: 'ms' },
            baseline: { value: median(times.theirs), unit: 'ms' },
            ratio: pairedRatio(times.mine, times.theirs),
            target: { of: 'ratio', atMost: 1.5 },
          },
        ];
      },
    );
  },
};

async function stocked(data: Data, rows: number): Promise<{ directory: string; north: string }> {
  const directory = data.copy();
  const script = fileURLToPath(new URL('../fill-stock.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, directory, String(rows)]);
  return { directory, north: stdout.trim() };
}

/** Milliseconds that the approval of one new document takes. */
async function approval({ url }: Arm, { keys: [key = ''] }: Data, rows: number, round: number): Promise<number> {
  let sent = 0;
  const send = async (path: string, body: object, status: number) => {
    const headers = {
      [API_KEY]: key,
      [IDEMPOTENCY_KEY]: `stock-${String(round)}-${String((sent += 1))}`,
      'content-type': 'application/json',
    };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (response.status !== status) throw new Error(`${path}: ${String(response.status)} ${text}`);
    return JSON.parse(text) as { data: { id: string } };
  };
  const lines = stockable(rows, round).map((itemId, at) => ({ itemId, quantity: 1 + at, unitCost: 2.5 }));
  const { data } = await send('/v1/stock-documents', { type: 'receipt', lines }, 201);
  await send(`/v1/stock-documents/${data.id}/submit`, {}, 200);
  const begun = performance.now();
  await send(`/v1/stock-documents/${data.id}/approve`, {}, 200);
  return performance.now() - begun;
}

function stockable(rows: number, round: number): string[] {
  const ids = new Set<string>();
  for (let at = 0; ids.size < LINES; at += 1) {
    const item = itemRecord(scatter(at, 90 + round) % rows);
    if (item.isActive && item.itemType !== 'combo') ids.add(item.id);
  }
  return [...ids];
}
