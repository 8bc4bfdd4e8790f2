/** Single bits that change in the files of a store, as failing hardware does. */
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Notice, StoreDamaged } from '../../src/store/file/index.ts';
import { isLongRun } from '../support/long-run.ts';
import { createRandom, sample } from './crash-checks.ts';
import { createTempDirectory, openStore } from './file-store.ts';
import { History, readContents } from './history.ts';

const FLIPS = isLongRun ? Infinity : 30;
const BITS = 8;

/** A store that was killed: a checkpoint, and a journal of two segments after it. */
async function createKilledStore(): Promise<{ directory: string; history: History }> {
  const [directory, copy] = [await createTempDirectory(), await createTempDirectory()];
  const store = await openStore(directory, { segmentBytes: 512 });
  const history = new History();
  for (let count = 0; count < 3; count++) await history.write(store);
  await store.checkpoint();
  for (let count = 0; count < 4; count++) await history.write(store);
  await cp(directory, copy, { recursive: true });
  await store.close();
  return { directory: copy, history };
}

test('a flipped bit in any file is refused, or reported as a torn tail, or changes nothing', async () => {
  const { directory, history } = await createKilledStore();
  const random = createRandom();
  const files = new Map<string, Buffer>();
  for (const name of await readdir(directory)) files.set(name, await readFile(join(directory, name)));
  const bytes = [...files].flatMap(([name, content]) =>
    Array.from({ length: content.findLastIndex((byte) => byte !== 0) + 1 }, (_, at) => ({ name, at })),
  );
  const counts = { refused: 0, reported: 0, unchanged: 0 };
  for (const { name, at } of sample(bytes, FLIPS, random)) {
    for (const [file, content] of files) await writeFile(join(directory, file), content);
    const flipped = Buffer.from(files.get(name)!);
    flipped[at]! ^= 1 << (random() % BITS);
    await writeFile(join(directory, name), flipped);
    counts[await openFlipped(directory, history.contents, `byte ${at} of ${name}`)] += 1;
  }
  process.stdout.write(`Bit flips: ${JSON.stringify(counts)}\n`);
  expect(counts.refused).toBeGreaterThan(0);
});

async function openFlipped(directory: string, contents: string, description: string): Promise<'refused' | 'reported' | 'unchanged'> {
  const notices: Notice[] = [];
  const opened = await openStore(directory, { onNotice: (notice) => notices.push(notice) }).catch((error: unknown) => ({ error }));
  if ('error' in opened) {
    expect(opened.error, description).toBeInstanceOf(StoreDamaged);
    return 'refused';
  }
  const found = await readContents(opened);
  await opened.close();
  if (found === contents) return 'unchanged';
  expect(notices, description).toEqual([expect.objectContaining({ kind: 'torn-tail' })]);
  return 'reported';
}
