import { statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile } from './disk.ts';

/** More than one operation writes. */
const TEXT = 'x'.repeat(2 * 1_024 * 1_024);

test('a file is replaced only after its new text is complete', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-disk-'));
  await writeFile(join(directory, 'file'), 'old');
  const countBytes = (name: string): number => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? -1;
  const steps: unknown[] = [];
  // Synchronous, because a write that is not awaited would continue meanwhile.
  await replaceFile(directory, 'file', TEXT, (step) => void steps.push([step, countBytes('file.new'), countBytes('file')]));
  expect(steps).toEqual([
    ['create', -1, 3],
    ['sync', TEXT.length, 3],
    ['sync-directory', TEXT.length, 3],
    ['rename', TEXT.length, 3],
    ['sync-directory', -1, TEXT.length],
  ]);
  await rm(directory, { recursive: true });
});
