/**
 * Runs reads. Those requested in one turn of the event loop share a connection and a snapshot of the database (REPEATABLE READ), whose
 * first statement reads the heads of their tenants: one round trip, after which cached rows and results need no other.
 */
import { setImmediate } from 'node:timers/promises';
import type { Connection, Database } from './database.ts';
import { type Head, SERVICE, readHeads } from './heads.ts';

const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** What reads of a group see. */
export interface Snapshot {
  readonly connection: Connection;
  readonly heads: ReadonlyMap<string, Head>;
}

interface ReadGroup {
  readonly tenants: Set<string>;
  readonly snapshot: Promise<Snapshot>;
  readonly reads: Promise<unknown>[];
}

export class ReadGroups {
  readonly #database: Database;
  #joining: ReadGroup | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Rejects with `StoreUnavailable` when the database cannot answer now. */
  run<T>(tenant: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const group = (this.#joining ??= this.#open());
    group.tenants.add(tenant);
    const read = group.snapshot.then(work);
    group.reads.push(read);
    return read;
  }

  #open(): ReadGroup {
    const tenants = new Set([SERVICE]);
    const reads: Promise<unknown>[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<Snapshot>();
    const group = { tenants, snapshot: promise, reads };
    const close = (): void => {
      if (this.#joining === group) this.#joining = undefined;
    };
    const run = async (): Promise<void> => {
      await setImmediate();
      // Reads that are requested while all connections are in use join as well.
      await this.#database.use(async (connection) => {
        close();
        const [, heads] = await Promise.all([connection.execute(BEGIN), readHeads(connection, [...tenants])]);
        resolve({ connection, heads });
        await Promise.allSettled(reads);
        await connection.execute('COMMIT');
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
