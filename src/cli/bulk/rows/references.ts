/** Finds the records that the cells of a file name, such as `pcs` or `Fasteners`. Short lists are read once; in long ones each name is searched for. */
import type { Reply } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import type { ListBody } from '../../../client/lists/complete-list.ts';
import { iteratePages } from '../../../client/lists/pages.ts';
import { PAGE_SIZE_MAX, SEARCH_MAX_CHARS } from '../../../contract/limits.ts';
import { RECORD_LISTS } from '../../../contract/record-lists.ts';
import { type RecordKind, getRecordNames } from '../../../contract/schema/record-kinds.ts';
import { type NamedRow, ambiguousName, findNamed, unknownName } from '../../input/record-names.ts';
import type { RecordSource } from '../../input/resolve-names.ts';
import { getValueAt, toPlainText } from '../../output/fields.ts';
import type { ServiceSession } from '../../session/session.ts';

/** Lists with more records are not read completely. */
const LOADED_MAX = 5_000;

/** The cells that name one record: path of a field → text. An empty path stands for any name. */
export type NameCells = ReadonlyMap<string, string>;

export interface References {
  /** Whether the records of a kind can be looked up with this key and service. */
  isAvailable(kind: RecordKind): Promise<boolean>;
  /** Returns the record that the cells name. Throws a failure if there is none, or more than one. */
  find(kind: RecordKind, cells: NameCells): Promise<NamedRow>;
  /** Returns the record with an id, if its list was read. */
  getById(kind: RecordKind, id: string): Promise<NamedRow | undefined>;
}

interface RecordIndex {
  readonly find: (text: string) => Promise<readonly NamedRow[]>;
  readonly byId: ReadonlyMap<string, NamedRow>;
  readonly all: readonly NamedRow[];
}

export function createReferences(session: Pick<ServiceSession, 'connectToList'>): References {
  const indexes = new Map<RecordKind, Promise<RecordIndex>>();
  const open = (kind: RecordKind): Promise<RecordIndex> => {
    const known = indexes.get(kind) ?? openIndex(session, kind);
    indexes.set(kind, known);
    return known;
  };
  return {
    async isAvailable(kind) {
      try {
        await open(kind);
        return true;
      } catch (error) {
        // A key without the scope, or a service without the list.
        if (error instanceof ApiError && ['SCOPE_REQUIRED', 'NOT_FOUND'].includes(error.code)) return false;
        throw error;
      }
    },
    async find(kind, cells) {
      const { find, all } = await open(kind);
      const [[path, text] = ['', '']] = cells;
      const named = (await find(text)).filter((row) => path === '' || isNamed(row, path, text));
      const exact = named.filter((row) => [...cells].every(([field, each]) => field === '' || isNamed(row, field, each)));
      const [found, ...others] = exact.length > 0 ? exact : named;
      if (found === undefined) throw unknownName(kind, text, all, null);
      if (others.length > 0) throw ambiguousName(kind, text, [found, ...others]);
      return found;
    },
    async getById(kind, id) {
      return (await open(kind)).byId.get(id.toLowerCase());
    },
  };
}

const normalizeName = (text: string): string => text.trim().normalize('NFC').toLowerCase();

/** Whether the field of a record has a text, ignoring case. */
export const isNamed = (row: NamedRow, path: string, text: string): boolean =>
  normalizeName(toPlainText(getValueAt(row, path))) === normalizeName(text);

async function openIndex(session: Pick<ServiceSession, 'connectToList'>, kind: RecordKind): Promise<RecordIndex> {
  const { queries = [{}] } = RECORD_LISTS[kind];
  const source = await session.connectToList(RECORD_LISTS[kind], undefined);
  const { operation } = source;
  const accepted = operation.query?.properties ?? {};
  const toQuery = (query: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries({ ...source.query, ...query }).filter(([name]) => name in accepted));
  if ('search' in accepted && (await countRows(source, queries.map(toQuery))) > LOADED_MAX) {
    const find = (text: string) => searchRows(source, kind, queries.map(toQuery), text);
    return { find: memoize(find), byId: new Map(), all: [] };
  }
  const rows: NamedRow[] = [];
  for (const query of queries) {
    if ('page' in accepted)
      for await (const { data } of iteratePages(source.client, operation, { query: toQuery(query) })) rows.push(...(data as NamedRow[]));
    else
      rows.push(...((await source.client.perform(operation, { query: toQuery(query) })) as Reply as Reply<{ data: NamedRow[] }>).body.data);
  }
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

type Query = Readonly<Record<string, string | undefined>>;

async function countRows({ client, operation }: RecordSource, queries: readonly Query[]): Promise<number> {
  let total = 0;
  for (const query of queries) {
    const reply = await client.perform(operation, { query: { ...query, page_size: 1 } });
    total += (reply as Reply as Reply<ListBody>).body.pagination.total;
  }
  return total;
}

async function searchRows(
  { client, operation }: RecordSource,
  kind: RecordKind,
  queries: readonly Query[],
  text: string,
): Promise<readonly NamedRow[]> {
  const search = Array.from(text.trim()).slice(0, SEARCH_MAX_CHARS).join('');
  const rows: NamedRow[] = [];
  for (const query of queries)
    for await (const { data } of iteratePages(client, operation, { query: { ...query, search } }, PAGE_SIZE_MAX))
      rows.push(...(data as NamedRow[]));
  return findNamed(kind, rows, text);
}

function memoize<T>(find: (text: string) => Promise<T>): (text: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (text) => {
    const found = known.get(text) ?? find(text);
    known.set(text, found);
    return found;
  };
}
