/** Finds the records that the cells of a file name, such as `pcs` or `Fasteners`. Short lists are read once; in long ones each name is searched for. */
import type { Reply } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import type { ListBody } from '../../../client/lists/complete-list.ts';
import { PAGE_SIZE_MAX } from '../../../contract/limits.ts';
import { RECORD_LISTS } from '../../../contract/record-lists.ts';
import { type RecordKind, getRecordNames } from '../../../contract/schema/record-kinds.ts';
import { type NamedRow, ambiguousName, findNamed, normalizeName, unknownName } from '../../input/record-names.ts';
import { type RecordSource, pickAccepted, readRows, toSearchText } from '../../input/resolve-names.ts';
import { getValueAt, toPlainText } from '../../output/fields.ts';
import type { ServiceSession } from '../../session/session.ts';

/** Lists with more records are not read completely. */
const LOADED_MAX = 5_000;

/** The cells that name one record: path of a field → text. An empty path stands for any name. */
export type NameCells = ReadonlyMap<string, string>;

export type References = ReturnType<typeof createReferences>;

interface RecordIndex {
  readonly find: (text: string) => Promise<readonly NamedRow[]>;
  readonly byId: ReadonlyMap<string, NamedRow>;
  readonly all: readonly NamedRow[];
}

export function createReferences(session: Pick<ServiceSession, 'connectToList'>) {
  const open = memoize((kind: RecordKind) => openIndex(session, kind));
  return {
    /** Whether the records of a kind can be looked up with this key and service. */
    async isAvailable(kind: RecordKind): Promise<boolean> {
      try {
        await open(kind);
        return true;
      } catch (error) {
        // A key without the scope, or a service without the list.
        if (error instanceof ApiError && ['SCOPE_REQUIRED', 'NOT_FOUND'].includes(error.code)) return false;
        throw error;
      }
    },
    /** Returns the record that the cells name. Throws a failure if there is none, or more than one. */
    async find(kind: RecordKind, cells: NameCells): Promise<NamedRow> {
      const { find, all } = await open(kind);
      const [[path, text] = ['', '']] = cells;
      const named = (await find(text)).filter((row) => path === '' || isNamed(row, path, text));
      const exact = named.filter((row) => [...cells].every(([field, each]) => field === '' || isNamed(row, field, each)));
      const [found, ...others] = exact.length > 0 ? exact : named;
      if (found === undefined) throw unknownName(kind, text, all, null);
      if (others.length > 0) throw ambiguousName(kind, text, [found, ...others]);
      return found;
    },
    /** Returns the record with an id, if its list was read. */
    getById: async (kind: RecordKind, id: string): Promise<NamedRow | undefined> => (await open(kind)).byId.get(id.toLowerCase()),
  };
}

/** Whether the field of a record has a text, ignoring case. */
export const isNamed = (row: NamedRow, path: string, text: string): boolean =>
  normalizeName(toPlainText(getValueAt(row, path))) === normalizeName(text);

async function openIndex(session: Pick<ServiceSession, 'connectToList'>, kind: RecordKind): Promise<RecordIndex> {
  const { queries = [{}] } = RECORD_LISTS[kind];
  const source = await session.connectToList(RECORD_LISTS[kind], undefined);
  const read = async (limit: number, more: Readonly<Record<string, string>> = {}): Promise<readonly NamedRow[]> => {
    const found: NamedRow[] = [];
    for (const query of queries) found.push(...(await readRows(source, { query: { ...query, ...more }, limit })));
    return found;
  };
  if (source.operation.query?.properties['search'] !== undefined && (await countRows(source, queries)) > LOADED_MAX) {
    const find = async (text: string) => findNamed(kind, await read(PAGE_SIZE_MAX, { search: toSearchText(text) }), text);
    return { find: memoize(find), byId: new Map(), all: [] };
  }
  const rows = await read(Infinity);
  const paths = Object.keys(getRecordNames(kind).fields);
  const byName = Map.groupBy(
    rows.flatMap((row) =>
      [...new Set(paths.map((path) => normalizeName(toPlainText(getValueAt(row, path)))))].map((name) => ({ name, row })),
    ),
    ({ name }) => name,
  );
  return {
    find: (text) => Promise.resolve((byName.get(normalizeName(text)) ?? []).map(({ row }) => row)),
    byId: new Map(rows.map((row) => [row.id, row])),
    all: rows,
  };
}

async function countRows({ client, operation, query: own }: RecordSource, queries: readonly RecordSource['query'][]): Promise<number> {
  let total = 0;
  for (const query of queries) {
    const reply = await client.perform(operation, { query: { ...pickAccepted(operation, { ...own, ...query }), page_size: 1 } });
    total += (reply as Reply as Reply<ListBody>).body.pagination.total;
  }
  return total;
}

function memoize<K, T>(read: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const known = new Map<K, Promise<T>>();
  return (key) => {
    const found = known.get(key) ?? read(key);
    known.set(key, found);
    return found;
  };
}
