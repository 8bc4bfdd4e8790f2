import { execFileSync } from 'node:child_process';
import { lstat, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openExport } from './export-file.ts';

const CURSOR = { createdAt: '2026-01-01T00:00:00.000Z', id: 'a' };

async function finishedExport(bytes: number): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'export-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'audit.ndjson');
  const file = await openExport(path, 'question', false);
  await file.write('x'.repeat(bytes));
  await file.saveCheckpoint(CURSOR);
  await file.finish(true);
  return path;
}

test('resuming a finished export copies the file atomically', async () => {
  const bytes = 2 ** 27;
  const path = await finishedExport(bytes);
  const sizes = new Set<number | undefined>();
  const opening = openExport(path, 'question', true);
  const watch = setInterval(() => sizes.add(statSync(`${path}.partial`, { throwIfNoEntry: false })?.size), 0);
  const file = await opening.finally(() => clearInterval(watch));
  await file.close();
  expect([...sizes].filter((size) => size !== undefined && size !== bytes)).toEqual([]);
  expect((await stat(`${path}.partial`)).size).toBe(bytes);
});

test('resuming a finished export ignores an incomplete copy', async () => {
  const path = await finishedExport(10);
  await writeFile(`${path}.partial.copy`, 'x');
  const file = await openExport(path, 'question', true);
  expect(file.start).toEqual(CURSOR);
  await file.write('y');
  await file.finish(true);
  expect((await stat(path)).size).toBe(11);
  await expect(stat(`${path}.partial.copy`)).rejects.toThrow('ENOENT');
});

test('resuming a finished export fails if the file is missing', async () => {
  const path = await finishedExport(10);
  await rm(path);
  await expect(openExport(path, 'question', true)).rejects.toThrow(`${path} is missing, but ${path}.checkpoint exists`);
});

test('an export does not replace a device or a pipe', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'export-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const pipe = join(directory, 'pipe.csv');
  execFileSync('mkfifo', [pipe]);
  const link = join(directory, 'link.csv');
  await symlink(pipe, link);
  for (const path of [pipe, link]) {
    await expect(openExport(path, 'question', false)).rejects.toThrow(`${path} is not a file`);
    await expect(openExport(path, 'question', true)).rejects.toThrow(`${path} is not a file`);
  }
  expect((await readdir(directory)).toSorted()).toEqual(['link.csv', 'pipe.csv']);
  expect((await stat(link)).isFIFO()).toBe(true);
});

test('an export to a symbolic link replaces the target of the link', async () => {
  const path = await finishedExport(10);
  const link = `${path}.link`;
  await symlink(path, link);
  const file = await openExport(link, 'question', false);
  await file.write('new');
  await file.finish(false);
  expect([(await lstat(link)).isSymbolicLink(), await readFile(path, 'utf8')]).toEqual([true, 'new']);
});
