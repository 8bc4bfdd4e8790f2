/**
 * Keeps the planner's statistics of tables that grow fast. Without them the server takes a tenant for a few rows, finds unique values by
 * reading all rows of the tenant, and goes on so until its autovacuum comes, up to a minute later, or never when it is off.
 */
import { type Database, defineStatement } from './database.ts';
import type { Head } from './heads.ts';
import type { StoredTable } from './reads/partition-reader.ts';

/** Fewer rows are read as fast without statistics. */
const MIN_ROWS = 500;
/** Statistics are out of date when a table has so many times the rows of which they know. */
const GROWTH = 5;
const ROWS_KNOWN = defineStatement('SELECT reltuples FROM pg_catalog.pg_class WHERE oid = $1::pg_catalog.regclass');
/** Waits for autovacuum and other daemons no longer than this. */
const LOCK_TIMEOUT = '1s';

export class TableStatistics {
  readonly #database: Database;
  readonly #tables: ReadonlyMap<string, StoredTable>;
  /** The number of rows of a tenant from which a table is looked at again. */
  readonly #nextRows = new Map<string, number>();
  #isRunning = false;
  readonly #waiting = new Map<string, number>();

  constructor(database: Database, tables: ReadonlyMap<string, StoredTable>) {
    this.#database = database;
    this.#tables = tables;
  }

  /** After a commit. Works in the background, on a connection of its own, one table at a time. */
  onCommitted({ tables }: Head): void {
    for (const [name, { rows }] of tables) {
      // A newer release may have other tables.
      if (!this.#tables.has(name) || rows < (this.#nextRows.get(name) ?? MIN_ROWS)) continue;
      this.#nextRows.set(name, rows * GROWTH);
      this.#waiting.set(name, rows);
    }
    if (this.#waiting.size > 0 && !this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (const [name, rows] of this.#waiting) {
      this.#waiting.delete(name);
      // What fails is left to autovacuum, as before.
      await this.#analyze(this.#tables.get(name)!.columns.name, rows).catch(() => undefined);
    }
    this.#isRunning = false;
  }

  async #analyze(table: string, rows: number): Promise<void> {
    const [[known] = []] = await this.#database.query(ROWS_KNOWN, [table]);
    if (Number(known) * GROWTH > rows) return;
    await this.#database.use((connection) =>
      connection.execute(`BEGIN; SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'; ANALYZE ${table}; COMMIT`),
    );
  }
}
