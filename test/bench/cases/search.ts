/** Substring search: as quick as a page of the list for what people type, and exact. */
import type { Arm } from '../servers.ts';
import { foldForSearch } from '../../../src/contract/search-text.ts';
import { tables } from '../../../src/domain/tables.ts';
import type { Bench, Case } from '../bench.ts';
import type { Load } from '../load.ts';
import type { Finding } from '../report.ts';
import { itemRecord, scatter, getSku } from '../catalog-rows.ts';
import { median, measure, pairedRatio } from '../rounds.ts';
import { afterWrites, listPages, renameItem, search } from '../requests.ts';

const P99_MAX_MS = 25;
/** Linear scans over this many rows in all are patience enough. */
const SCANNED_ROWS = 20_000_000;

export const searchCase: Case = {
  name: 'search',
  about: 'substring search, mixed queries',
  async run(bench) {
    const { keys, copy } = await bench.data();
    return bench.using([bench.daemon({ directory: copy() })], async (ours) => {
      const kinds = queries(bench.rows, Math.max(60, Math.min(400, Math.floor(SCANNED_ROWS / bench.rows))));
      const texts = Object.values(kinds).flat();
      bench.say('search: totals against a linear scan');
      const findings = [await exactness(bench, ours, keys, texts)];
      bench.say('search: time');
      // One connection: with nothing waiting in line, the reply time is the server's time and a little loopback.
      const job = (shots: ReturnType<typeof search>) => ({ arm: ours, job: { connections: 1, shots } });
      const mixed = texts.toSorted((a, b) => scatter(a.length, a.charCodeAt(0)) - scatter(b.length, b.charCodeAt(0)));
      const [found = [], listed = []] = await measure(
        bench.load,
        [job(search(keys, mixed)), job(listPages(keys, bench.rows))],
        bench.effort,
      );
      bench.say('search: beside renames');
      const renames = renameItem(keys, bench.rows);
      const [fresh = [], paged = []] = await measure(
        bench.load,
        [search(keys, mixed), listPages(keys, bench.rows)].map((shots) => job(afterWrites(shots, renames))),
        bench.effort,
      );
      findings.push(...times('search', 'search page', found, listed), ...times('search-fresh', 'search page after a rename', fresh, paged));
      return findings;
    });
  },
};

function times(name: string, what: string, found: readonly Load[], listed: readonly Load[]): Finding[] {
  const p50 = (loads: readonly Load[]) => loads.map((load) => load.p50);
  return [
    {
      case: name,
      what: `${what}, p50 over the list page`,
      ours: { value: median(p50(found)), unit: 'ms' },
      baseline: { value: median(p50(listed)), unit: 'ms' },
      ratio: pairedRatio(p50(found), p50(listed)),
      target: { of: 'ratio', atMost: 3 },
      detail: { search: found, list: listed },
    },
    {
      case: `${name}-p99`,
      what: `${what}, p99`,
      ours: { value: median(found.map((load) => load.p99)), unit: 'ms' },
      target: { of: 'ours', atMost: P99_MAX_MS },
    },
  ];
}

/** What people type, by kind, `count` in all. */
function queries(rows: number, count: number): Readonly<Record<string, string[]>> {
  const some = (share: number, make: (n: number) => string) => Array.from({ length: Math.ceil(count * share) }, (_, n) => make(n));
  const getName = (n: number) => itemRecord(scatter(n, 40) % rows).name;
  return {
    sku: some(0.25, (n) => getSku(scatter(n, 41) % rows)),
    word: some(0.3, (n) => (getName(n).split(' ')[n % 3] ?? '').toLowerCase()),
    words: some(0.1, (n) => getName(n).split(' ').slice(1, 3).join(' ')),
    fragment: some(0.15, (n) =>
      getName(n)
        .slice(2 + (n % 5), 6 + (n % 5))
        .trim(),
    ),
    miss: some(0.08, (n) => `qzx${String(scatter(n, 42))}`),
    letters: some(0.12, (n) => getName(n).slice(0, 1 + (n % 2))),
  };
}

async function exactness(bench: Bench, ours: Arm, keys: readonly string[], texts: readonly string[]): Promise<Finding> {
  const fields = tables.items.search as readonly (keyof ReturnType<typeof itemRecord>)[];
  const rows = Array.from({ length: bench.rows }, (_, n) => {
    const item = itemRecord(n);
    // Searches contain no line break, so no match reaches across fields.
    return foldForSearch(fields.map((field) => (item[field] ?? '') as string).join('\n'));
  });
  const wrong: string[] = [];
  for (const { path, headers } of search(keys, texts)) {
    const response = await fetch(`${ours.url}${path}`, { headers });
    const { pagination } = (await response.json()) as { pagination: { total: number } };
    const text = foldForSearch(new URL(path, ours.url).searchParams.get('search') ?? '');
    let total = 0;
    for (const row of rows) if (row.includes(text)) total += 1;
    if (pagination.total !== total) wrong.push(`${text}: ${String(pagination.total)} instead of ${String(total)}`);
  }
  return {
    case: 'search-exact',
    what: `search totals equal to a linear scan, ${String(texts.length)} queries`,
    ours: { value: 100 * (1 - wrong.length / texts.length), unit: '%' },
    target: { of: 'ours', atLeast: 100 },
    detail: { wrong },
  };
}
