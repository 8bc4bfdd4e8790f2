/**
 * Runs reads. Those requested in one turn of the event loop form a group, which shares a connection. One statement reads the heads of their
 * tenants; as long as cached rows and results of these revisions are all that the reads need, it stays the only one.
 *
 * The first read that needs more begins a transaction with a snapshot (REPEATABLE READ), which reads the heads again. If the tenant of a
 * read has committed between the two, the read may have used what was cached of the state before: it runs again in the snapshot.
 */
import { setImmediate } from 'node:timers/promises';
import { type Connection, type Database, type Queryable, SHORT_TIMEOUT_MS } from '../database.ts';
import { StatementUnknown, getErrorCode } from '../errors.ts';
import { type Head, SERVICE, isSameCommit, readHeads } from '../heads.ts';

// Queries are planned for their values and for the pages that they need, unlike look-ups and changes (`PLANNER_SETTINGS`).
const BEGIN = [
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  "SET LOCAL lock_timeout = '5s'",
  'SET LOCAL plan_cache_mode = auto',
  'SET LOCAL random_page_cost = 1',
].join('; ');

/** PostgreSQL refuses statements after one that failed, until the transaction ends. */
const FAILED_TRANSACTION = '25P02';

/** What a read sees. */
export interface Snapshot {
  readonly connection: Queryable;
  readonly heads: ReadonlyMap<string, Head>;
}

interface ReadGroup {
  readonly tenants: Set<string>;
  readonly opened: Promise<OpenGroup>;
  readonly reads: Promise<unknown>[];
}

export class ReadGroups {
  readonly #database: Database;
  #joining: ReadGroup | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** `work` may run again. Rejects with `StoreUnavailable` when the database cannot answer now. */
  async run<T>(tenant: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    try {
      return await this.#join(tenant, work);
    } catch (error) {
      // A statement of another read has failed. That one is not in the next group.
      if (getErrorCode(error) === FAILED_TRANSACTION) return this.run(tenant, work);
      if (!(error instanceof StatementUnknown)) throw error;
      return this.#join(tenant, work);
    }
  }

  #join<T>(tenant: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const group = (this.#joining ??= this.#open());
    group.tenants.add(tenant);
    const read = group.opened.then((open) => runRead(open, tenant, work));
    group.reads.push(read);
    return read;
  }

  #open(): ReadGroup {
    const tenants = new Set([SERVICE]);
    const reads: Promise<unknown>[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<OpenGroup>();
    const group = { tenants, opened: promise, reads };
    const close = (): void => {
      if (this.#joining === group) this.#joining = undefined;
    };
    const run = async (): Promise<void> => {
      await setImmediate();
      // Reads that are requested while all connections are in use join as well.
      await this.#database.use(async (connection) => {
        close();
        const open = new OpenGroup(connection, await readHeads(connection, [...tenants]));
        resolve(open);
        await Promise.allSettled(reads);
        await open.end();
      });
    };
    // After the reads, an error concerns nobody: the connection is closed.
    run().catch((error: unknown) => {
      close();
      reject(error);
    });
    return group;
  }
}

/** A group whose heads have been read. */
class OpenGroup {
  readonly heads: ReadonlyMap<string, Head>;
  readonly connection: Connection;
  #snapshot: Promise<Snapshot> | undefined;

  constructor(connection: Connection, heads: ReadonlyMap<string, Head>) {
    this.connection = connection;
    this.heads = heads;
  }

  /** Begins the transaction, unless a read of the group has. */
  begin(): Promise<Snapshot> {
    const { connection, heads } = this;
    return (this.#snapshot ??= Promise.all([connection.execute(BEGIN, SHORT_TIMEOUT_MS), readHeads(connection, [...heads.keys()])]).then(
      ([, current]) => ({
        connection,
        heads: current,
      }),
    ));
  }

  async end(): Promise<void> {
    if (this.#snapshot !== undefined) await this.connection.execute('COMMIT', SHORT_TIMEOUT_MS);
  }
}

/** Thrown inside a read whose tenant has committed since the heads of its group were read. */
class HeadsChanged extends Error {}

async function runRead<T>(group: OpenGroup, tenant: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const { heads } = group;
  const connection: Queryable = {
    async query(statement, values) {
      // Sent together. If the heads have changed, nobody needs the rows.
      const [snapshot, rows] = await Promise.all([group.begin(), group.connection.query(statement, values)]);
      const isCurrent = (owner: string): boolean => isSameCommit(snapshot.heads.get(owner)!, heads.get(owner)!);
      if (!isCurrent(tenant) || !isCurrent(SERVICE)) throw new HeadsChanged();
      return rows;
    },
  };
  try {
    return await work({ heads, connection });
  } catch (error) {
    if (!(error instanceof HeadsChanged)) throw error;
    return work(await group.begin());
  }
}
