/** What the row of an import would change in its record, for `--dry-run`. */
import type { Client, Reply } from '../../../client/client.ts';
import { getRecordNames } from '../../../contract/schema/record-kinds.ts';
import { getValueAt, toPlainText } from '../../output/fields.ts';
import { formatDecimals, isMoneyColumn } from '../../output/money.ts';
import type { BulkResource } from '../bulk-resource.ts';
import type { References } from './references.ts';
import type { NameCell } from './row-references.ts';
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

interface Source {
  readonly client: Client;
  readonly resource: BulkResource;
  readonly references: References | undefined;
}

export async function readChanges(source: Source, row: Row, { record, changed }: Update): Promise<RowChanges> {
  const { client, resource } = source;
  const { upsert } = resource;
  const get = upsert?.get;
  const [param = ''] = Object.keys(get?.params?.properties ?? {});
  const reply = get && (await client.perform(get, { params: { [param]: record.id } }));
  const data = reply && (reply as Reply as Reply<{ data: Json }>).body.data;
  const fields: [column: string, change: { from?: unknown; to: unknown }][] = [];
  for (const field of changed) {
    const named = row.names?.[field];
    const to = named?.text ?? row.value[field] ?? null;
    const from = data && (named ? await readName(source, data, field, named) : (data[field] ?? null));
    fields.push([named?.column ?? field, data ? { from, to } : { to }]);
  }
  const name = data?.['sku'] ?? data?.['name'] ?? row.key;
  return { line: row.line, record: toPlainText(name), fields: Object.fromEntries(fields) };
}

/** The name of the record that a field refers to, as the file names such records; its id if the list was too long to be read. */
async function readName({ resource, references }: Source, data: Json, field: string, { column, path }: NameCell): Promise<unknown> {
  const id = data[field];
  const kind = resource.create.body.properties[field]?.refersTo;
  if (kind === undefined || typeof id !== 'string') return null;
  const found = await references?.getById(kind, id);
  const [firstName = ''] = Object.keys(getRecordNames(kind).fields);
  return found === undefined ? (getValueAt(data, column) ?? id) : getValueAt(found, path === '' ? firstName : path);
}

/** `Line 2, BOLT-M6: salePrice 0.35 → 0.45`. `currency`: of amounts, if it is known. */
export function formatChanges({ line, record, fields }: RowChanges, currency?: string): string {
  const texts = Object.entries(fields).map(([name, { from, to }]) => {
    const format = (value: unknown): string =>
      currency !== undefined && typeof value === 'number' && isMoneyColumn(name, []) ? formatDecimals(value, currency) : toText(value);
    return `${name}${from === undefined ? '' : ` ${format(from)}`} → ${format(to)}`;
  });
  return `Line ${String(line)}, ${record}: ${texts.join(', ')}`;
}

const toText = (value: unknown): string => toPlainText(value) || '–';
