/** Writers of node:sqlite, to compare the file store with. */
import { DatabaseSync } from 'node:sqlite';
import type { BenchItem } from './store-rows.ts';

interface Writer {
  write(row: BenchItem): Promise<void>;
  close(): void;
}

/** node:sqlite, WAL, a commit is on disk before it returns; one transaction for all that came in a turn. */
function sqliteWriter(path: string, schema: string, prepare: (db: DatabaseSync) => (row: BenchItem) => void): Writer {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; ${schema}`);
  const insert = prepare(db);
  let waiting: { row: BenchItem; resolve: () => void }[] = [];
  const commit = (): void => {
    const group = waiting;
    waiting = [];
    db.exec('BEGIN');
    for (const { row } of group) insert(row);
    db.exec('COMMIT');
    for (const { resolve } of group) resolve();
  };
  return {
    write: (row) =>
      new Promise((resolve) => {
        if (waiting.push({ row, resolve }) === 1) setImmediate(commit);
      }),
    close: () => db.close(),
  };
}

/** At its quickest: rows as text behind an integer key, no index. */
export const bareSqlite = (path: string): Writer =>
  sqliteWriter(path, 'CREATE TABLE items (id INTEGER PRIMARY KEY, row TEXT)', (db) => {
    const insert = db.prepare('INSERT INTO items (row) VALUES (?)');
    return (row) => insert.run(JSON.stringify(row));
  });

/** With what `items` above asks for: two unique values, four orders, five filters, and a substring search. */
export const indexedSqlite = (path: string): Writer =>
  sqliteWriter(
    path,
    `CREATE TABLE items (
       id TEXT PRIMARY KEY, name TEXT COLLATE NOCASE, sku TEXT COLLATE NOCASE UNIQUE, barcode TEXT COLLATE NOCASE UNIQUE,
       item_type TEXT, category_id TEXT, unit_id TEXT, supplier_id TEXT, is_active INTEGER, created_at TEXT, updated_at TEXT, row TEXT
     );
     ${['name', 'created_at', 'updated_at'].map((column) => `CREATE INDEX by_${column} ON items (${column}, id);`).join(' ')}
     ${['item_type', 'category_id', 'unit_id', 'supplier_id', 'is_active'].map((column) => `CREATE INDEX of_${column} ON items (${column});`).join(' ')}
     CREATE VIRTUAL TABLE texts USING fts5 (name, sku, barcode, mpn, tokenize = 'trigram', content = '', detail = 'none');`,
    (db) => {
      const insert = db.prepare(`INSERT INTO items VALUES (${Array.from({ length: 12 }, () => '?').join(', ')})`);
      const index = db.prepare('INSERT INTO texts (rowid, name, sku, barcode, mpn) VALUES (?, ?, ?, NULL, NULL)');
      return (row) => {
        const { id, name, sku, itemType, categoryId, unitId, supplierId, isActive, createdAt, updatedAt } = row;
        const keys = [itemType, categoryId, unitId, supplierId, Number(isActive), createdAt, updatedAt];
        const { lastInsertRowid } = insert.run(id, name, sku, null, ...keys, JSON.stringify(row));
        index.run(lastInsertRowid, name, sku);
      };
    },
  );
