/** A digest of the rows of a partition that is the same in every store. */
import { createHash } from 'node:crypto';
import type { StockroomStore } from '../../domain/tables.ts';
import { type Partition, readRows } from './partitions.ts';

export interface Digest {
  readonly rows: number;
  /** SHA-256 in hexadecimal digits, of one line of JSON for each row in the order of the table. */
  readonly sha256: string;
}

export async function digestRows(
  store: StockroomStore,
  partition: Pick<Partition, 'table' | 'tenant'>,
  { onRead, signal }: { readonly onRead: (rows: number) => void; readonly signal: AbortSignal },
): Promise<Digest> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of readRows(store, partition)) {
    signal.throwIfAborted();
    hash.update(page.map((row) => `${toCanonicalJson(row)}\n`).join(''));
    rows += page.length;
    onRead(page.length);
  }
  return { rows, sha256: hash.digest('hex') };
}

/** JSON with the fields of objects in order: stores may keep them in another one. */
export const toCanonicalJson = (value: unknown): string => JSON.stringify(value, (_key, each: unknown) => sortFields(each));

function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
