/** Shows people the names of the records that a record refers to, instead of their ids. */
import type { Operation } from '../../contract/operation.ts';
import { type RecordKind, getRecordNames } from '../../contract/schema/record-kinds.ts';
import { readRows } from '../input/resolve-names.ts';
import { getResourceSchema, getValueAt, toPlainText } from '../output/fields.ts';
import type { View } from '../output/printer.ts';
import { withWaitIndicator } from '../output/wait-indicator.ts';
import type { ServiceContext } from '../session/session.ts';

type Json = Readonly<Record<string, unknown>>;
type Context = Pick<ServiceContext, 'args' | 'flags' | 'output' | 'session'>;
type Names = ReadonlyMap<unknown, string>;

/** Of lists that cannot be filtered by id. */
const ROWS_MAX = 1_000;

/** Who acts: `{ type, id }`. */
const ACTOR_KINDS: Readonly<Record<string, RecordKind>> = { user: 'user', api: 'key' };

/** Prints a record. A plain table has names where they can be read; every other format has the ids. */
export async function printNamed(context: Context, op: Operation, data: object, view: View, text: string): Promise<void> {
  const { output } = context;
  const references = output.isPlainTable ? listReferences(op, data as Json) : [];
  const kinds = [...Map.groupBy(references, ({ kind }) => kind)];
  const found = await Promise.all(
    kinds.map(([kind, own]) =>
      readNames(
        context,
        op,
        kind,
        own.flatMap(({ ids }) => ids),
      ),
    ),
  );
  const names = new Map(found.flatMap((each) => [...each]));
  const record: Record<string, unknown> = { ...data };
  let { columns } = view;
  for (const { field, ids } of references) {
    if (!ids.some((id) => names.has(id))) continue;
    const shown = field.replace(/Ids$/u, 's').replace(/Id$/u, '');
    record[shown] = ids.map((id) => names.get(id) ?? id);
    columns = [...new Set(columns.map((column) => ([field, `${field}.id`, `${field}.type`].includes(column) ? shown : column)))];
  }
  await output.printOne({ data: record }, { ...view, columns }, text);
}

/** The references of a record, except those that have the name beside the id. */
function listReferences(op: Operation, data: Json) {
  const schema = getResourceSchema(op.result);
  return Object.entries(schema.kind === 'object' ? schema.properties : {}).flatMap(([field, own]) => {
    const value = data[field] ?? [];
    const { refersTo = ACTOR_KINDS[String(getValueAt(value, 'type'))] } = own.kind === 'array' ? own.items : own;
    const ids = [getValueAt(value, 'id') ?? value].flat();
    return refersTo === undefined || ids.length === 0 ? [] : [{ field, kind: refersTo, ids }];
  });
}

/** Names by id; without those that the key may not read, or that the service cannot list. */
async function readNames(context: Context, op: Operation, kind: RecordKind, ids: readonly unknown[]): Promise<Names> {
  const { args, flags, session } = context;
  const { RECORD_LISTS } = await import('../../contract/record-lists.ts');
  const list = RECORD_LISTS[kind];
  const names = new Map<unknown, string>();
  const read = async (): Promise<void> => {
    const tenant = ((args['tenant'] ?? flags['tenant']) as string | undefined) ?? (await session.getTenant(op, flags));
    const source = await session.connectToList(list, tenant);
    const parts = (source.operation.query?.properties['module'] && list.queries) ?? [{}];
    for (const part of parts) {
      const rows = await readRows(source, { query: { ...part, id: ids.join(',') }, limit: ROWS_MAX });
      for (const row of rows) if (ids.includes(row.id)) names.set(row.id, getName(kind, row));
    }
  };
  await withWaitIndicator(read().catch(() => undefined));
  return names;
}

const getName = (kind: RecordKind, row: unknown): string =>
  ['name', ...Object.keys(getRecordNames(kind).fields)].map((field) => toPlainText(getValueAt(row, field))).find(Boolean) ?? '';
