/** A digest of the rows of a partition that is the same in every store. */
import { createHash } from 'node:crypto';
import { toCanonicalJson } from '../../domain/kernel/canonical-json.ts';
import type { StockroomStore } from '../../domain/tables.ts';
import { type Partition, readRows } from './partitions.ts';

export interface Digest {
  readonly rows: number;
  /** SHA-256 in hexadecimal digits, of one line of JSON for each row in the order of the table. Stores may keep fields in another order. */
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
