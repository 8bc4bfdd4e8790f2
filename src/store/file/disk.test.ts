import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile } from './disk.ts';

test('a file is replaced only after its new text is complete and synced', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-disk-'));
  await writeFile(join(directory, 'file'), 'old');
  const read = (name: string): Promise<string> => readFile(join(directory, name), 'utf8').catch(() => 'none');
  const steps: unknown[] = [];
  await replaceFile(directory, 'file', 'new', async (step) => void steps.push([step, await read('file.new'), await read('file')]));
  expect(steps).toEqual([
    ['write', 'none', 'old'],
    ['sync', 'new', 'old'],
    ['sync-directory', 'new', 'old'],
    ['rename', 'new', 'old'],
    ['sync-directory', 'none', 'new'],
  ]);
  await rm(directory, { recursive: true });
});
