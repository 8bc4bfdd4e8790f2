/**
 * Counts the rounds of a transaction or read: how often its work waits for a store that needs a round trip for what it does not know yet.
 * Calls that are made before an earlier one has returned, as with Promise.all, share a round. Rows that the work has read or written are
 * known, so reading them again by id costs nothing, and changes cost nothing, because such a store sends them with the commit.
 */
import { setImmediate } from 'node:timers';
import type { Row } from '../../src/domain/kernel/ports.ts';

type Kind = 'transact' | 'read' | 'readLatest';
type DoWork = (tx: object) => Promise<unknown>;
type Run = (tenant: string, work: DoWork) => Promise<unknown>;
type Method = (...parameters: unknown[]) => Promise<unknown>;

/** One transaction or read. */
export interface Work {
  readonly kind: Kind;
  /** The reads of each round, as `table.method`. */
  readonly rounds: string[][];
}

/** Counts all later work of any store. Returns the list of it, which grows. */
export function countRounds(store: object): Work[] {
  const works: Work[] = [];
  const counted = new WeakSet<DoWork>();
  const methods = store as Record<Kind, Run>;
  for (const kind of ['transact', 'read', 'readLatest'] as const) {
    const original = methods[kind].bind(store);
    methods[kind] = (tenant, work) => {
      // One method of a store may call another.
      if (counted.has(work)) return original(tenant, work);
      const countedWork: DoWork = (tx) => {
        const started: Work = { kind, rounds: [] };
        works.push(started);
        return work(countTables(tx, started));
      };
      counted.add(countedWork);
      return original(tenant, countedWork);
    };
  }
  return works;
}

/** The ids that a call reads; undefined for a query. */
function getReadIds(method: string, [first]: readonly unknown[]): readonly string[] | undefined {
  if (method === 'get') return [first as string];
  return method === 'getMany' ? (first as readonly string[]) : undefined;
}

/** The ids of the rows that a call wrote; undefined for a read. */
function getWrittenIds(method: string, [first]: readonly unknown[]): readonly string[] | undefined {
  if (method === 'put') return [(first as Row).id];
  if (method === 'putMany') return (first as readonly Row[]).map(({ id }) => id);
  return method === 'remove' ? [first as string] : undefined;
}

/** The ids of the rows that a query found, where it returns rows. */
function getFoundIds(result: unknown): string[] {
  const rows = typeof result === 'object' && result !== null && 'rows' in result ? (result.rows as readonly unknown[]) : [result];
  return rows.flatMap((row) => (typeof row === 'object' && row !== null && 'id' in row ? [String(row.id)] : []));
}

/** The tables. The reads of a round return together, in the next turn of the event loop. */
function countTables(tx: object, { rounds }: Work): object {
  let round: { readonly calls: string[]; readonly returned: Promise<void> } | undefined;
  const joinRound = (call: string): Promise<void> => {
    if (round === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      round = { calls: [], returned: promise };
      rounds.push(round.calls);
      setImmediate(() => {
        round = undefined;
        resolve();
      });
    }
    round.calls.push(call);
    return round.returned;
  };
  const countTable = (table: object, name: string, known: Set<string>): object =>
    new Proxy(table, {
      get: (_, method: string) => {
        const run = (Reflect.get(table, method) as Method).bind(table);
        return async (...parameters: unknown[]) => {
          const writtenIds = getWrittenIds(method, parameters);
          const ids = writtenIds ?? getReadIds(method, parameters);
          if (writtenIds === undefined && !ids?.every((id) => known.has(id))) await joinRound(`${name}.${method}`);
          const result = await run(...parameters);
          for (const id of ids ?? getFoundIds(result)) known.add(id);
          return result;
        };
      },
    });
  const tables = new Map<string, object>();
  return new Proxy(tx, {
    get: (_, name: string) => {
      if (name === 'now' || name === 'newId') return Reflect.get(tx, name) as unknown;
      let table = tables.get(name);
      if (table === undefined) tables.set(name, (table = countTable(Reflect.get(tx, name) as object, name, new Set())));
      return table;
    },
  });
}
