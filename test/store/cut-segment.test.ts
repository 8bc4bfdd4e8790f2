/** An open journal segment that lost whole commits from its end, which leaves no half record behind. */
import { cp, readFile, truncate, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Notice } from '../../src/store/file/index.ts';
import { HEADER_BYTES } from '../../src/store/file/journal-record.ts';
import { SEGMENT_HEADER_BYTES } from '../../src/store/file/journal/segment-header.ts';
import { createTempDirectory, getLastSegment, openStore, readManifest, writeManifest } from './file-store.ts';
import { createThing, type Thing } from './fixtures.ts';
import { applyChanges } from './transactions.ts';
import { observeDisk } from '../support/disk/observed-disk.ts';

/** A copy of a store that was not closed, and the ends of the records of its open segment. */
async function createCrashedStore(
  commits: number,
  nameLength = 10,
): Promise<{ directory: string; segment: string; ends: number[]; bytes: Buffer }> {
  const directory = await createTempDirectory();
  const store = await openStore(directory);
  let rows = new Map<string, Thing>();
  for (let each = 0; each < commits; each++)
    rows = await applyChanges(store, rows, [createThing(`t${String(each)}`, { name: 'n'.repeat(nameLength) })], []);
  const copy = await createTempDirectory();
  await cp(directory, copy, { recursive: true });
  await store.close();
  const segment = await getLastSegment(copy);
  const bytes = await readFile(segment);
  const ends = [SEGMENT_HEADER_BYTES];
  for (let each = 0; each < commits; each++) ends.push(ends[each]! + HEADER_BYTES + bytes.readUInt32LE(ends[each]! + 4));
  return { directory: copy, segment, ends, bytes };
}

async function open(directory: string): Promise<{ count: number; notices: Notice[] }> {
  const notices: Notice[] = [];
  const store = await openStore(directory, { onNotice: (notice) => notices.push(notice) });
  const count = await store.read('a', (tx) => tx.things.count());
  // As after kill -9: nothing is written.
  const copy = await createTempDirectory();
  await cp(directory, copy, { recursive: true });
  await store.close();
  return { count, notices };
}

describe('an open journal segment', () => {
  test.for([0, 1, 2])('is reported when it was truncated after %i of 3 commits', async (kept) => {
    const { directory, segment, ends } = await createCrashedStore(3);
    await truncate(segment, ends[kept]);
    const { count, notices } = await open(directory);
    expect(count).toBe(kept);
    expect(notices).toMatchObject([{ kind: 'torn-tail', file: segment, bytes: 256 * 1024 - ends[kept]! }]);
    expect(notices[0]!.message).toContain(`commits after ${String(kept)} may be missing`);
  });

  test('is reported when it was truncated after commits that are longer than its preallocation', async () => {
    const { directory, segment, ends } = await createCrashedStore(3, 400_000);
    await truncate(segment, ends[2]);
    expect(await open(directory)).toMatchObject({ count: 2, notices: [{ kind: 'torn-tail', file: segment }] });
  });

  test('is reported when it lost commits that the manifest counts', async () => {
    const directory = await createTempDirectory();
    let rows = new Map<string, Thing>();
    let writing: Promise<unknown> | undefined;
    const store = await openStore(directory, {
      disk: observeDisk(async (step, file) => {
        // Commits during a checkpoint go to the new segment, before the manifest that names the checkpoint.
        if (step === 'create' && file.includes('checkpoint'))
          await (writing ??= applyChanges(store, rows, [createThing('during')], []).then((after) => (rows = after)));
      }),
    });
    rows = await applyChanges(store, rows, [createThing('before')], []);
    await store.checkpoint();
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await store.close();
    const segment = await getLastSegment(copy);
    await writeFile(segment, (await readFile(segment)).fill(0, SEGMENT_HEADER_BYTES));
    const { notices } = await open(copy);
    expect(notices).toMatchObject([{ kind: 'torn-tail', file: segment }]);
    expect(notices[0]!.message).toContain('1 commit is missing');
  });

  test('is not reported after kill -9, start after start, with and without writes', async () => {
    for (const nameLength of [10, 400_000]) {
      const { directory } = await createCrashedStore(3, nameLength);
      for (let round = 0; round < 3; round++) {
        const notices: Notice[] = [];
        const store = await openStore(directory, { onNotice: (notice) => notices.push(notice) });
        if (round === 1) await applyChanges(store, new Map(), [createThing(`later`)], []);
        const copy = await createTempDirectory();
        await cp(directory, copy, { recursive: true });
        await store.close();
        expect((await open(copy)).notices).toEqual([]);
        expect(notices).toEqual([]);
      }
    }
  });

  test('is not reported when an earlier release wrote it, which left no zeros after the last commit and had no header', async () => {
    const { directory, segment, ends, bytes } = await createCrashedStore(3);
    const manifest = await readManifest(directory);
    await writeManifest(directory, { ...manifest, segments: manifest.segments.map(({ file }) => ({ file })) });
    await writeFile(segment, bytes.subarray(SEGMENT_HEADER_BYTES, ends[2]));
    expect(await open(directory)).toEqual({ count: 2, notices: [] });
  });
});
