/** A write that was not finished is cut off; anything else that is wrong with the files is refused, with its place. */
import { cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Notice, StoreDamaged } from '../../src/store/file/index.ts';
import { HEADER_BYTES } from '../../src/store/file/records.ts';
import { change } from './rows.ts';
import { folder, manifestOf, open, segmentOf } from './support.ts';
import { aThing } from './things.ts';

/** A store left without being closed, and the offsets of its journal's records. */
async function crashed(commits: number): Promise<{ directory: string; segment: string; offsets: number[]; bytes: Buffer }> {
  const directory = await folder();
  const store = await open(directory);
  for (let each = 0; each < commits; each++) await change(store, new Map(), [aThing(`t${each}`, { name: 'Ärmel'.repeat(3) })], []);
  const copy = await folder();
  await cp(directory, copy, { recursive: true });
  await store.close();
  const segment = await segmentOf(copy);
  const bytes = await readFile(segment);
  const offsets: number[] = [0];
  for (let each = 0; each < commits; each++) offsets.push(offsets[each]! + HEADER_BYTES + bytes.readUInt32LE(offsets[each]! + 4));
  return { directory: copy, segment, offsets, bytes };
}

async function idsIn(directory: string, notices: Notice[] = []): Promise<string[]> {
  const store = await open(directory, { onNotice: (notice) => notices.push(notice) });
  const ids = await store.read('a', async (tx) => (await tx.things.after({ limit: 100 })).rows.map((row) => row.id));
  await store.close();
  return ids.sort();
}

describe('a journal whose last write was not finished', () => {
  test('is cut at the last whole record, wherever in the next it ends', async () => {
    const { directory, segment, offsets, bytes } = await crashed(3);
    const manifest = await readFile(join(directory, 'manifest.json'));
    const start = async (content: Buffer): Promise<{ ids: string[]; notices: Notice[] }> => {
      for (const file of await readdir(directory)) await rm(join(directory, file));
      await writeFile(join(directory, 'manifest.json'), manifest);
      await writeFile(segment, content);
      const notices: Notice[] = [];
      return { ids: await idsIn(directory, notices), notices };
    };
    for (let end = offsets[2]!; end < offsets[3]!; end++) {
      const { ids, notices } = await start(bytes.subarray(0, end));
      expect(ids).toEqual(['t0', 't1']);
      // Some bytes are zeros anyway: those are not counted as torn.
      const torn = bytes.subarray(offsets[2], end).findLastIndex((byte) => byte !== 0) + 1;
      expect(notices.map((notice) => [notice.kind, notice.bytes])).toEqual(torn === 0 ? [] : [['torn-tail', torn]]);
      // Written into zeros that were there before.
      const preallocated = Buffer.alloc(bytes.length);
      bytes.copy(preallocated, 0, 0, end);
      expect((await start(preallocated)).ids).toEqual(end < lastByte(bytes, offsets[3]!) ? ['t0', 't1'] : ['t0', 't1', 't2']);
    }
  });

  test('loses any bit of its last record without complaint about the others', async () => {
    const { directory, segment, offsets, bytes } = await crashed(2);
    const flipped = Buffer.from(bytes);
    flipped[offsets[1]! + HEADER_BYTES + 5]! ^= 4;
    await writeFile(segment, flipped);
    const notices: Notice[] = [];
    expect(await idsIn(directory, notices)).toEqual(['t0']);
    expect(notices[0]).toMatchObject({ kind: 'torn-tail', file: segment, bytes: lastByte(bytes, offsets[2]!) - offsets[1]! });
  });

  test('may have lost the middle of the last group: the group was never acknowledged', async () => {
    const directory = await folder();
    const store = await open(directory);
    await change(store, new Map(), [aThing('before')], []);
    await Promise.all(['t0', 't1', 't2'].map((each) => store.transact('a', (tx) => tx.things.put(aThing(each)))));
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await store.close();
    const segment = await segmentOf(copy);
    const bytes = await readFile(segment);
    const second = HEADER_BYTES + bytes.readUInt32LE(4);
    const third = second + HEADER_BYTES + bytes.readUInt32LE(second + 4);
    bytes.fill(0, third, third + 40);
    await writeFile(segment, bytes);
    expect(await idsIn(copy)).toEqual(['before', 't0']);
  });
});

/** Where the bytes before `end` that are not zero end. */
const lastByte = (bytes: Buffer, end: number): number => bytes.subarray(0, end).findLastIndex((byte) => byte !== 0) + 1;

describe('a damaged store refuses to open and says where', () => {
  test('a flipped bit before the last record', async () => {
    const { directory, segment, offsets, bytes } = await crashed(4);
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
      const error = await open(directory).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StoreDamaged);
      expect(error).toMatchObject({ file: segment, offset: offsets[record] });
      expect((error as Error).message).toMatch(/Restore the data directory from a snapshot.*truncate -s/);
      expect(await readFile(segment)).toEqual(flipped);
    }
  });

  test('advises to cut only what opens when it is cut, and in a copy', async () => {
    const { directory, segment, offsets, bytes } = await crashed(4);
    const flipped = Buffer.from(bytes);
    flipped[offsets[1]! + 9]! ^= 16;
    await writeFile(segment, flipped);
    const told = ((await open(directory).catch((reason: unknown) => reason)) as Error).message;
    const [, length = '', file = ''] = /in the copy: truncate -s (\d+) (\S+)$/.exec(told) ?? [];
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await truncate(join(copy, file), Number(length));
    expect(await idsIn(copy)).toEqual(['t0']);
  });

  test.for(['', 'null', '{}', '{"checksum":1,"manifest":{}}'])('a manifest that holds %j, without advice to cut it', async (text) => {
    const { directory } = await crashed(1);
    await writeFile(join(directory, 'manifest.json'), text);
    await expect(open(directory)).rejects.toThrow(
      /manifest\.json is damaged at byte 0: (its checksum does not match|Unexpected end of JSON input)\. [^:;]*snapshot\.$/,
    );
  });

  test('a record that is missing', async () => {
    const { directory, segment, offsets, bytes } = await crashed(3);
    await writeFile(segment, Buffer.concat([bytes.subarray(0, offsets[1]), bytes.subarray(offsets[2], offsets[3])]));
    await expect(open(directory)).rejects.toMatchObject({ name: 'StoreDamaged', offset: offsets[1] });
  });

  test('an older segment that is too short, or not there', async () => {
    const { directory, segment, offsets } = await crashed(3);
    const store = await open(directory);
    await change(store, new Map(), [aThing('later')], []);
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await store.close();
    const older = segment.replace(directory, copy);
    await truncate(older, offsets[2]);
    await expect(open(copy)).rejects.toMatchObject({
      name: 'StoreDamaged',
      file: older,
      offset: offsets[2],
      message: expect.not.stringContaining('truncate'),
    });
    await rm(older);
    await expect(open(copy)).rejects.toMatchObject({ name: 'StoreDamaged', file: older });
  });

  test('a checkpoint with any byte changed', async () => {
    const directory = await folder();
    const store = await open(directory);
    await change(store, new Map(), [aThing('1'), aThing('2')], []);
    await store.close();
    const file = join(directory, (await manifestOf(directory)).checkpoint!.file);
    const bytes = await readFile(file);
    for (let at = 24; at < bytes.length; at += 7) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1;
      await writeFile(file, flipped);
      await expect(open(directory)).rejects.toMatchObject({ name: 'StoreDamaged', file, message: expect.not.stringContaining('truncate') });
    }
    await writeFile(file, bytes.subarray(0, -3));
    await expect(open(directory)).rejects.toMatchObject({ name: 'StoreDamaged', file, message: expect.not.stringContaining('truncate') });
  });

  test('a manifest that is damaged or gone', async () => {
    const { directory } = await crashed(1);
    const path = join(directory, 'manifest.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"next":2', '"next":3'));
    await expect(open(directory)).rejects.toMatchObject({ name: 'StoreDamaged', file: path });
    await rm(path);
    await expect(open(directory)).rejects.toThrow(/manifest.json.*missing/);
  });
});
