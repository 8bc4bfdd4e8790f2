/** A sequence of changes to a store, and what the store must contain after it: however often it failed, and wherever it was interrupted. */
import { StoreUnavailable } from '../../src/domain/kernel/ports.ts';
import type { FileStore } from '../../src/store/file/index.ts';
import { createThing, type Things } from './fixtures.ts';

/** Rows by table and id. */
type Rows = Map<string, string>;

interface Change {
  readonly apply: (rows: Rows) => Rows;
  /** Positions in a recording of the disk. */
  readonly requestedAt: number;
  acknowledgedAt?: number;
  refusedAt?: number;
  /** Refused, and known to have had no effect. */
  isGone?: boolean;
}

const toText = (rows: Rows): string =>
  [...rows]
    .map(([key, value]) => `${key}: ${value}`)
    .sort()
    .join('\n');

/** All rows of the store, in the form of `History.listContentsAt`. */
export async function readContents(store: FileStore<Things>): Promise<string> {
  const rows: Rows = new Map();
  await store.read('a', async ({ things, notes, marks }) => {
    for (const { id, name } of (await things.listAfter({ limit: 10_000 })).rows) rows.set(`thing ${id}`, name);
    for (const { id, text } of (await notes.listAfter({ limit: 10_000 })).rows) rows.set(`note ${id}`, text);
    for (const { id, text } of (await marks.listAfter({ limit: 10_000 })).rows) rows.set(`mark ${id}`, text);
  });
  return toText(rows);
}

export class History {
  readonly #getPosition: () => number;
  readonly #changes: Change[] = [];
  #next = 0;
  /** Position at which the snapshot was acknowledged. */
  snapshotSavedAt = Infinity;

  /** `getPosition`: current length of the recording of the disk. */
  constructor(getPosition: () => number = () => 0) {
    this.#getPosition = getPosition;
  }

  get refused(): number {
    return this.#changes.filter(({ refusedAt }) => refusedAt !== undefined).length;
  }

  /** Adds, changes and removes rows of each table in one transaction. */
  async write(store: FileStore<Things>): Promise<void> {
    const number = this.#next++;
    const text = `change ${number}`;
    const [added, changed, removed] = [number, number - 2, number - 7].map(String) as [string, string, string];
    await this.#run(
      (rows) => {
        for (const id of [added, changed]) rows.set(`thing ${id}`, text).set(`mark ${id}`, text);
        rows.set(`note ${added}`, text);
        for (const table of ['thing', 'mark', 'note']) rows.delete(`${table} ${removed}`);
        return rows;
      },
      () =>
        store.transact('a', async ({ things, notes, marks }) => {
          await things.put(createThing(added, { name: text, tags: [text, 'long '.repeat(number * 8)] }));
          await things.put(createThing(changed, { name: text }));
          await marks.putMany([added, changed].map((id) => ({ id, text, colour: 'red' })));
          await notes.put({ id: added, text, list: 'l', position: number });
          for (const table of [things, marks, notes]) await table.remove(removed);
        }),
    );
  }

  /** Writes that are synced together. */
  async writeGroup(store: FileStore<Things>, count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.write(store)));
  }

  /** Saves a snapshot; undefined when that failed. No write may be running. */
  async saveSnapshot(store: FileStore<Things>, path: string): Promise<{ restore: (into: FileStore<Things>) => Promise<void> } | undefined> {
    const saved = this.#applyAll(this.#changes.filter(({ acknowledgedAt }) => acknowledgedAt !== undefined));
    if (!(await succeeds(store.saveSnapshot(path, {})))) return undefined;
    this.snapshotSavedAt = this.#getPosition();
    return {
      restore: (into) =>
        this.#run(
          () => new Map(saved),
          () => into.restoreSnapshot(path, async () => {}),
        ),
    };
  }

  /** What the store contains. */
  get contents(): string {
    return toText(this.#applyAll(this.#changes.filter(({ acknowledgedAt }) => acknowledgedAt !== undefined)));
  }

  /**
   * What the store may contain after a crash at a position of the recording: every acknowledged change, no refused one, and those that were
   * running in their order, up to any of them. Unless refusals are final, changes refused since the last acknowledged one may be stored,
   * too: an error of the disk does not say what is on it, and only the next change that succeeds removes them for certain.
   */
  listContentsAt(position: number, areRefusalsFinal = true): string[] {
    const requested = this.#changes.filter(({ requestedAt }) => requestedAt <= position);
    const certain = requested.filter(({ acknowledgedAt = Infinity }) => acknowledgedAt <= position);
    const later = requested.slice(requested.findLastIndex((change) => certain.includes(change)) + 1);
    const refused = areRefusalsFinal ? [] : later.filter(({ refusedAt = Infinity, isGone }) => refusedAt <= position && !isGone);
    const running = requested.filter((change) => !certain.includes(change) && (change.refusedAt ?? Infinity) > position);
    return [running, refused].flatMap((possible) =>
      Array.from({ length: possible.length + 1 }, (_, count) => toText(this.#applyAll([...certain, ...possible.slice(0, count)]))),
    );
  }

  /** Determines from the contents of the store, which was opened again, which of the refused changes it contains. */
  resolveRefusals(contents: string): void {
    const certain = this.#changes.filter(({ acknowledgedAt }) => acknowledgedAt !== undefined);
    const last = this.#changes.findLastIndex(({ acknowledgedAt }) => acknowledgedAt !== undefined);
    const refused = this.#changes.slice(last + 1).filter(({ isGone }) => !isGone);
    const stored = Array.from({ length: refused.length + 1 }, (_, count) => refused.slice(0, count)).find(
      (some) => toText(this.#applyAll([...certain, ...some])) === contents,
    );
    if (stored === undefined) throw new Error(`the store contains\n${contents}\ninstead of\n${toText(this.#applyAll(certain))}`);
    for (const change of refused) {
      if (stored.includes(change)) {
        change.acknowledgedAt = this.#getPosition();
        delete change.refusedAt;
      } else change.isGone = true;
    }
  }

  #applyAll(changes: readonly Change[]): Rows {
    let rows: Rows = new Map();
    for (const { apply } of changes) rows = apply(rows);
    return rows;
  }

  async #run(apply: Change['apply'], work: () => Promise<void>): Promise<void> {
    const change: Change = { apply, requestedAt: this.#getPosition() };
    this.#changes.push(change);
    if (await succeeds(work())) change.acknowledgedAt = this.#getPosition();
    else change.refusedAt = this.#getPosition();
  }
}

/** Whether work succeeded; false when the disk made it fail. */
export async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailable || (error instanceof Error && /EIO|ENOSPC|rolled back/u.test(error.message))) return false;
    throw error;
  }
}
