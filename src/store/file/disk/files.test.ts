import { statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wrapDisk } from './disk.ts';
import { replaceFile } from './files.ts';
import { localDisk } from './local-disk.ts';

/** Written in the background. */
const TEXT = 'x'.repeat(2 * 1_024 * 1_024);

test('a file is replaced only after its new text is complete', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-disk-'));
  const path = join(directory, 'file');
  await writeFile(path, 'old');
  const countBytes = (name: string): number => statSync(name, { throwIfNoEntry: false })?.size ?? -1;
  const steps: unknown[] = [];
  const disk = wrapDisk(localDisk, (step, run) => {
    steps.push([step.kind, countBytes(`${path}.new`), countBytes(path)]);
    return run(step);
  });
  await replaceFile(disk, path, TEXT);
  expect(steps).toEqual([
    ['create', -1, 3],
    ['write', 0, 3],
    ['sync', TEXT.length, 3],
    ['sync-directory', TEXT.length, 3],
    ['rename', TEXT.length, 3],
    ['sync-directory', -1, TEXT.length],
  ]);
  expect(await readFile(path, 'utf8')).toBe(TEXT);
  await rm(directory, { recursive: true });
});
