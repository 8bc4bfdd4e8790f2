/** Helpers that reconstruct the files of a store after a crash and check what it contains when it is opened again. */
import { hash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type AroundStep, type Disk, wrapDisk } from '../../src/store/file/disk/disk.ts';
import { unsyncedDisk } from '../support/disk/observed-disk.ts';
import { type Files, Recording, writeFiles } from '../support/disk/recording.ts';
import { testSeed } from '../support/property.ts';
import type { FileStore, Notice } from '../../src/store/file/index.ts';
import { createTempDirectory, openStore } from './file-store.ts';
import type { Things } from './fixtures.ts';
import { History, readContents } from './history.ts';
import { runWorkload, STORE } from './workload.ts';

/** Random numbers that repeat with the seed of the test file. */
export function createRandom(): () => number {
  let state = testSeed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Draws some elements, in their order. */
export function sample<T>(elements: readonly T[], count: number, random: () => number): T[] {
  const drawn = new Set<number>();
  while (drawn.size < Math.min(count, elements.length)) drawn.add(random() % elements.length);
  return elements.filter((_, at) => drawn.has(at));
}

/** Records the disk operations of the workload; `faults` makes some of them fail. */
export async function recordWorkload(faults?: AroundStep): Promise<{ recording: Recording; history: History }> {
  const root = await createTempDirectory();
  const recording = new Recording(root);
  const history = new History(() => recording.length);
  await runWorkload(root, wrapDisk(unsyncedDisk, recording.intercept(faults)), history);
  return { recording, history };
}

const toDigest = (files: Files): string =>
  hash('sha1', JSON.stringify([...files].map(([path, content]) => `${path} ${hash('sha1', content)}`).toSorted()));

/** A state of the disk after a crash. */
export interface Crash {
  readonly files: Files;
  /** What the store may contain. */
  readonly contents: readonly string[];
  readonly description: string;
}

/** Opens stores after crashes, each state of the disk once. */
export class CrashChecks {
  /** What was wrong after which crash. */
  readonly failures: string[] = [];
  readonly #root: string;
  readonly #seen = new Set<string>();

  private constructor(root: string) {
    this.#root = root;
  }

  static async create(): Promise<CrashChecks> {
    const root = await createTempDirectory();
    return new CrashChecks(root);
  }

  /** Number of different states checked. */
  get count(): number {
    return this.#seen.size;
  }

  /**
   * Opens the store and checks its contents, and that it keeps what is written then. Returns the recording of opening and closing it;
   * undefined when that failed or the same state has been checked before.
   */
  async check({ files, contents, description }: Crash): Promise<Recording | undefined> {
    const stored = new Map([...files].filter(([path]) => path.startsWith(`${STORE}/`)));
    const digest = toDigest(stored) + contents.join();
    if (this.#seen.has(digest)) return undefined;
    this.#seen.add(digest);
    const directory = join(this.#root, STORE);
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory);
    await writeFiles(this.#root, stored);
    const recording = new Recording(this.#root, stored);
    try {
      const notices: Notice[] = [];
      const found = await withStore(directory, wrapDisk(unsyncedDisk, recording.intercept()), readContents, notices);
      const missing = notices.find(({ message }) => message.includes('missing'));
      if (missing) throw new Error(`commits are reported as missing: ${missing.message}`);
      if (!contents.includes(found)) throw new Error(`the store contains\n${found}\ninstead of\n${contents.join('\nor\n')}`);
      await expectKeepsChanges(directory, found);
      return recording;
    } catch (error) {
      this.failures.push(`${description}: ${String(error)}`);
      return undefined;
    }
  }
}

async function expectKeepsChanges(directory: string, before: string): Promise<void> {
  await withStore(directory, unsyncedDisk, (store) =>
    store.transact('a', (tx) => tx.marks.put({ id: 'later', text: 'later', colour: null })),
  );
  const after = await withStore(directory, unsyncedDisk, readContents);
  expect(after.split('\n').filter((row) => row !== 'mark later: later')).toEqual(before.split('\n').filter((row) => row !== ''));
  expect(after).toContain('mark later: later');
}

async function withStore<T>(
  directory: string,
  disk: Disk,
  work: (store: FileStore<Things>) => Promise<T>,
  notices: Notice[] = [],
): Promise<T> {
  const store = await openStore(directory, { disk, onNotice: (notice) => notices.push(notice) });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
