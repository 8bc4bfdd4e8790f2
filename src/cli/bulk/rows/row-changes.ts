/** What the row of an import would change in its record, for `--dry-run`. */
import type { Client, Reply } from '../../../client/client.ts';
import { getValueAt, toPlainText } from '../../output/fields.ts';
import type { BulkResource } from '../bulk-resource.ts';
import type { Row } from './rows.ts';
import type { RowPlan } from '../send-row.ts';

/** Number of rows whose changes are shown; the record of each is read. */
export const CHANGES_SHOWN = 50;

export interface RowChanges {
  readonly line: number;
  /** The record: its SKU, name or id. */
  readonly record: string;
  readonly fields: Readonly<Record<string, { readonly from?: unknown; readonly to: unknown }>>;
}

type Update = Extract<RowPlan, { kind: 'update' }>;
type Json = Readonly<Record<string, unknown>>;

export async function readChanges(client: Client, { upsert }: BulkResource, row: Row, { record, changed }: Update): Promise<RowChanges> {
  const get = upsert?.get;
  const [param = ''] = Object.keys(get?.params?.properties ?? {});
  const reply = get && (await client.perform(get, { params: { [param]: record.id } }));
  const data = reply && (reply as Reply as Reply<{ data: Json }>).body.data;
  const fields = changed.map((field) => {
    const { column = field, text } = row.names?.[field] ?? {};
    const to = text ?? row.value[field] ?? null;
    return [column, data ? { from: getValueAt(data, column) ?? null, to } : { to }] as const;
  });
  const name = data?.['sku'] ?? data?.['name'] ?? row.key;
  return { line: row.line, record: toPlainText(name), fields: Object.fromEntries(fields) };
}

/** `Line 2, BOLT-M6: salePrice 0.35 → 0.45` */
export function formatChanges({ line, record, fields }: RowChanges): string {
  const texts = Object.entries(fields).map(
    ([name, { from, to }]) => `${name}${from === undefined ? '' : ` ${toText(from)}`} → ${toText(to)}`,
  );
  return `Line ${String(line)}, ${record}: ${texts.join(', ')}`;
}

const toText = (value: unknown): string => toPlainText(value) || '–';
