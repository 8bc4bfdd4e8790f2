/**
 * Copies rows from one store to another. Each partition is copied in the order of its table, in transactions that are all or nothing: so
 * the last row of the target says where an interrupted copy continues.
 */
import type { Row, Table } from '../../domain/kernel/ports.ts';
import type { StockroomStore } from '../../domain/tables.ts';
import { type Partition, findLastRow, readRows } from './partitions.ts';

/** A transaction ends after as many rows or bytes of JSON, which bounds the memory that it takes. */
const TRANSACTION_ROWS = 2_000;
const TRANSACTION_BYTES = 4 * 1024 * 1024;

export interface CopyOptions {
  readonly source: StockroomStore;
  readonly target: StockroomStore;
  /** Called before rows of a tenant are copied. */
  readonly onTenant: (tenant: string) => void;
  readonly onCopied: (rows: number) => void;
  readonly signal: AbortSignal;
}

export async function copyPartition(partition: Partition, { source, target, onTenant, onCopied, signal }: CopyOptions): Promise<void> {
  onTenant(partition.tenant);
  let rows: Row[] = [];
  let bytes = 0;
  const write = async (): Promise<void> => {
    signal.throwIfAborted();
    const written = rows;
    rows = [];
    bytes = 0;
    // The compiler cannot match the name of a table with its row type.
    await target.transact(partition.tenant, (tx) => (tx[partition.table] as Table<Row>).putMany(written));
    onCopied(written.length);
  };
  for await (const page of readRows(source, partition, await findLastRow(target, partition))) {
    rows.push(...page);
    for (const row of page) bytes += JSON.stringify(row).length;
    if (rows.length >= TRANSACTION_ROWS || bytes >= TRANSACTION_BYTES) await write();
  }
  if (rows.length > 0) await write();
}
