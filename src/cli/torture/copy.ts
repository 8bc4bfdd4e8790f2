/** The copy of a program, compared with the service as `pull --diff` does, in the fields and lists that the copy has. */
import { readFile } from 'node:fs/promises';
import type { Client } from '../../client/client.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import type { Operation } from '../../contract/operation.ts';
import { COMPARISONS, formatValue } from '../pull/diff.ts';
import { type SourceRecord, createSourceReader } from '../pull/source.ts';

type Row = Readonly<Record<string, unknown>>;
/** Rows by the name of their list. */
export type Copy = ReadonlyMap<string, readonly Row[]>;

interface CopiedList {
  readonly what: string;
  readonly list: Operation;
  readonly queries: readonly Readonly<Record<string, string>>[];
  readonly getKey: (row: Row) => string;
  readonly getName: (row: SourceRecord) => string;
}

const LISTS: Readonly<Record<string, CopiedList>> = {
  ...Object.fromEntries(
    COMPARISONS.map(({ kind, what, list, queries, getName }) => [kind, { what, list, queries, getName, getKey: ({ id }) => String(id) }]),
  ),
  stockLevels: {
    what: 'stock level',
    list: listStockLevels,
    queries: [{}],
    getKey: ({ itemId, siteId }) => `${String(itemId)} ${String(siteId)}`,
    getName: ({ itemId, siteId }) => `${String(itemId)} ${String(siteId)}`,
  },
};
const NAMES = Object.keys(LISTS);
const READ_TIMEOUT_MS = 5_000;

/** `place`: a URL or a file. Throws an error that says what is wrong with it. */
export async function readCopy(place: string): Promise<Copy> {
  return parseCopy(await readText(place));
}

async function readText(place: string): Promise<string> {
  if (!isUrl(place)) return readFile(place, 'utf8');
  const response = await fetch(place, { signal: AbortSignal.timeout(READ_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`it responded with ${String(response.status)}`);
  return response.text();
}

export const isUrl = (place: string): boolean => /^https?:\/\//iu.test(place);

/** `{ items: [{ id, name }], stockLevels: … }`; a list may also be an object of rows by id. */
export function parseCopy(text: string): Copy {
  const lists: unknown = JSON.parse(text);
  if (typeof lists !== 'object' || lists === null || Array.isArray(lists)) throw new Error(`it is no object with ${NAMES.join(', ')}`);
  const names = Object.keys(lists).filter((name) => name in LISTS);
  if (names.length === 0) throw new Error(`it has none of the lists ${NAMES.join(', ')}`);
  return new Map(names.map((name) => [name, toRows(name, (lists as Row)[name])]));
}

function toRows(name: string, value: unknown): readonly Row[] {
  const rows: readonly unknown[] = Array.isArray(value)
    ? value
    : Object.entries((value ?? {}) as Row).map(([id, row]) => (typeof row === 'object' && row !== null ? { id, ...row } : undefined));
  if (rows.every((row): row is Row => typeof row === 'object' && row !== null)) return rows;
  throw new Error(`${name} has something that is no record`);
}

/** What differs, in words. The house contact may be missing: no event creates it. */
export async function compareCopy(copy: Copy, client: Client, houseContactId: string): Promise<readonly string[]> {
  const reader = createSourceReader(client);
  const differences: string[] = [];
  for (const [name, rows] of copy) {
    const { what, list, queries, getKey, getName } = LISTS[name]!;
    const copied = Map.groupBy(rows, getKey);
    for (const query of queries)
      for await (const page of reader.iteratePages(list, { query }))
        for (const row of page.rows) {
          const [mine, ...more] = copied.get(getKey(row)) ?? [];
          copied.delete(getKey(row));
          const found = mine ? compareRow(mine, row) : row.id === houseContactId ? [] : ['only in the service'];
          if (more.length > 0) found.push(`${String(more.length + 1)} times in the copy`);
          if (found.length > 0) differences.push(`${what} ${getName(row)}: ${found.join('; ')}`);
        }
    for (const key of copied.keys()) differences.push(`${what} ${key}: only in the copy`);
  }
  return differences;
}

const compareRow = (mine: Row, row: Row): string[] =>
  Object.keys(mine).flatMap((field) =>
    field in row && JSON.stringify(mine[field]) !== JSON.stringify(row[field])
      ? [`${field}: ${formatValue(mine[field])} in the copy, ${formatValue(row[field])} in the service`]
      : [],
  );
