/** Damaged files: an incomplete last write is cut off; any other damage is refused with its position. */
import { cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Notice, StoreDamaged } from '../../src/store/file/index.ts';
import { HEADER_BYTES } from '../../src/store/file/journal-record.ts';
import { SEGMENT_HEADER_BYTES } from '../../src/store/file/journal/segment-header.ts';
import { MIN_SEGMENT_BYTES } from '../../src/store/file/journal/preallocation.ts';
import { applyChanges } from './transactions.ts';
import { createTempDirectory, readManifest, openStore, getLastSegment } from './file-store.ts';
import { createThing } from './fixtures.ts';
import { isLongRun } from '../support/long-run.ts';

/** A copy of a store that was not closed, and the offsets of its journal's records. */
async function createCrashedStore(commits: number): Promise<{ directory: string; segment: string; offsets: number[]; bytes: Buffer }> {
  const directory = await createTempDirectory();
  const store = await openStore(directory);
  for (let each = 0; each < commits; each++)
    await applyChanges(store, new Map(), [createThing(`t${each}`, { name: 'Ärmel'.repeat(3) })], []);
  const copy = await createTempDirectory();
  await cp(directory, copy, { recursive: true });
  await store.close();
  const segment = await getLastSegment(copy);
  const bytes = await readFile(segment);
  const offsets: number[] = [SEGMENT_HEADER_BYTES];
  for (let each = 0; each < commits; each++) offsets.push(offsets[each]! + HEADER_BYTES + bytes.readUInt32LE(offsets[each]! + 4));
  return { directory: copy, segment, offsets, bytes };
}

async function readIds(directory: string, notices: Notice[] = []): Promise<string[]> {
  const store = await openStore(directory, { onNotice: (notice) => notices.push(notice) });
  const ids = await store.read('a', async (tx) => (await tx.things.listAfter({ limit: 100 })).rows.map((row) => row.id));
  await store.close();
  return ids.sort();
}

describe('torn tail', () => {
  test('a torn tail is cut after the last complete record, wherever the next one ends', async () => {
    const { directory, segment, offsets, bytes } = await createCrashedStore(3);
    const manifest = await readFile(join(directory, 'manifest.json'));
    const start = async (content: Buffer): Promise<{ ids: string[]; notices: Notice[] }> => {
      for (const file of await readdir(directory)) await rm(join(directory, file));
      await writeFile(join(directory, 'manifest.json'), manifest);
      await writeFile(segment, content);
      const notices: Notice[] = [];
      return { ids: await readIds(directory, notices), notices };
    };
    const step = isLongRun ? 1 : 19;
    for (let end = offsets[2]!; end < offsets[3]!; end += step) {
      const { ids, notices } = await start(bytes.subarray(0, end));
      expect(ids).toEqual(['t0', 't1']);
      // Trailing zeros do not count as torn.
      const torn = bytes.subarray(offsets[2], end).findLastIndex((byte) => byte !== 0) + 1;
      // Without a half record, the missing zeros show that the file was cut.
      const missing = MIN_SEGMENT_BYTES - end;
      expect(notices.map((notice) => [notice.kind, notice.bytes])).toEqual([['torn-tail', torn === 0 ? missing : torn]]);
      // The same into preallocated zeros.
      const preallocated = Buffer.alloc(bytes.length);
      bytes.copy(preallocated, 0, 0, end);
      expect((await start(preallocated)).ids).toEqual(end < findDataEnd(bytes, offsets[3]!) ? ['t0', 't1'] : ['t0', 't1', 't2']);
    }
  });

  test('a flipped bit in the last record removes only that record', async () => {
    const { directory, segment, offsets, bytes } = await createCrashedStore(2);
    const flipped = Buffer.from(bytes);
    flipped[offsets[1]! + HEADER_BYTES + 5]! ^= 4;
    await writeFile(segment, flipped);
    const notices: Notice[] = [];
    expect(await readIds(directory, notices)).toEqual(['t0']);
    expect(notices[0]).toMatchObject({ kind: 'torn-tail', file: segment, bytes: findDataEnd(bytes, offsets[2]!) - offsets[1]! });
  });

  test('a last group that lost its middle is cut there, because it was never acknowledged', async () => {
    const directory = await createTempDirectory();
    const store = await openStore(directory);
    await applyChanges(store, new Map(), [createThing('before')], []);
    await Promise.all(['t0', 't1', 't2'].map((each) => store.transact('a', (tx) => tx.things.put(createThing(each)))));
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await store.close();
    const segment = await getLastSegment(copy);
    const bytes = await readFile(segment);
    const second = SEGMENT_HEADER_BYTES + HEADER_BYTES + bytes.readUInt32LE(SEGMENT_HEADER_BYTES + 4);
    const third = second + HEADER_BYTES + bytes.readUInt32LE(second + 4);
    bytes.fill(0, third, third + 40);
    await writeFile(segment, bytes);
    expect(await readIds(copy)).toEqual(['before', 't0']);
  });
});

/** The offset after the last byte before `end` that is not zero. */
const findDataEnd = (bytes: Buffer, end: number): number => bytes.subarray(0, end).findLastIndex((byte) => byte !== 0) + 1;

describe('a damaged store', () => {
  test('a journal segment whose bytes are all zeros is refused: it is damaged, not empty', async () => {
    const { directory, segment, bytes } = await createCrashedStore(3);
    for (const length of [bytes.length, 4096, SEGMENT_HEADER_BYTES]) {
      await writeFile(segment, Buffer.alloc(length));
      const error = await openStore(directory).catch((reason: unknown) => reason);
      expect(error, String(length)).toBeInstanceOf(StoreDamaged);
      expect((error as Error).message).toContain(segment);
      expect(await readFile(segment)).toEqual(Buffer.alloc(length));
    }
  });

  test('a journal segment whose header is damaged before an intact record is read', async () => {
    const { directory, segment, bytes } = await createCrashedStore(3);
    await writeFile(segment, Buffer.concat([Buffer.alloc(SEGMENT_HEADER_BYTES), bytes.subarray(SEGMENT_HEADER_BYTES)]));
    expect(await readIds(directory)).toEqual(['t0', 't1', 't2']);
  });

  test('opening reports the offset of a record with a flipped bit before the last record', async () => {
    const { directory, segment, offsets, bytes } = await createCrashedStore(4);
    for (const [record, at] of [
      [0, 0],
      [0, 6],
      [1, 2],
      [1, 9],
      [1, 17],
      [2, HEADER_BYTES],
      [2, HEADER_BYTES + 30],
      [2, 24],
    ] as const) {
      const flipped = Buffer.from(bytes);
      flipped[offsets[record]! + at]! ^= 16;
      await writeFile(segment, flipped);
      const error = await openStore(directory).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StoreDamaged);
      expect(error).toMatchObject({ file: segment, offset: offsets[record] });
      expect((error as Error).message).toMatch(/Restore the data directory from a snapshot.*truncate -s/);
      expect(await readFile(segment)).toEqual(flipped);
    }
  });

  test('opening advises to truncate a copy of the journal, after which it opens', async () => {
    const { directory, segment, offsets, bytes } = await createCrashedStore(4);
    const flipped = Buffer.from(bytes);
    flipped[offsets[1]! + 9]! ^= 16;
    await writeFile(segment, flipped);
    const message = ((await openStore(directory).catch((reason: unknown) => reason)) as Error).message;
    const [, length = '', file = ''] = /in the copy, run: truncate -s (\d+) (\S+)$/.exec(message) ?? [];
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await truncate(join(copy, file), Number(length));
    expect(await readIds(copy)).toEqual(['t0']);
  });

  test.for(['', 'null', '{}', '{"checksum":1,"manifest":{}}'])(
    'opening refuses a manifest that contains %j, without advice to truncate it',
    async (text) => {
      const { directory } = await createCrashedStore(1);
      await writeFile(join(directory, 'manifest.json'), text);
      await expect(openStore(directory)).rejects.toThrow(
        /manifest\.json is damaged at byte 0: (checksum mismatch|Unexpected end of JSON input)\. [^:;]*snapshot\.$/,
      );
    },
  );

  test('opening refuses a journal with a missing record', async () => {
    const { directory, segment, offsets, bytes } = await createCrashedStore(3);
    await writeFile(segment, Buffer.concat([bytes.subarray(0, offsets[1]), bytes.subarray(offsets[2], offsets[3])]));
    await expect(openStore(directory)).rejects.toMatchObject({ name: 'StoreDamaged', offset: offsets[1] });
  });

  test('opening refuses an older segment that is truncated or missing', async () => {
    const { directory, segment, offsets } = await createCrashedStore(3);
    const store = await openStore(directory);
    await applyChanges(store, new Map(), [createThing('later')], []);
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await store.close();
    const older = segment.replace(directory, copy);
    await truncate(older, offsets[2]);
    await expect(openStore(copy)).rejects.toMatchObject({
      name: 'StoreDamaged',
      file: older,
      offset: offsets[2],
      message: expect.not.stringContaining('truncate'),
    });
    await rm(older);
    await expect(openStore(copy)).rejects.toMatchObject({ name: 'StoreDamaged', file: older });
  });

  test('opening refuses a checkpoint with any byte changed or missing', async () => {
    const directory = await createTempDirectory();
    const store = await openStore(directory);
    await applyChanges(store, new Map(), [createThing('1'), createThing('2')], []);
    await store.close();
    const file = join(directory, (await readManifest(directory)).checkpoint!.file);
    const bytes = await readFile(file);
    for (let at = 24; at < bytes.length; at += 7) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1;
      await writeFile(file, flipped);
      await expect(openStore(directory)).rejects.toMatchObject({
        name: 'StoreDamaged',
        file,
        message: expect.not.stringContaining('truncate'),
      });
    }
    await writeFile(file, bytes.subarray(0, -3));
    await expect(openStore(directory)).rejects.toMatchObject({
      name: 'StoreDamaged',
      file,
      message: expect.not.stringContaining('truncate'),
    });
  });

  test('opening refuses a damaged or missing manifest', async () => {
    const { directory } = await createCrashedStore(1);
    const path = join(directory, 'manifest.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"next":2', '"next":3'));
    await expect(openStore(directory)).rejects.toMatchObject({ name: 'StoreDamaged', file: path });
    await rm(path);
    await expect(openStore(directory)).rejects.toThrow(/manifest.json.*file not found/);
  });
});
