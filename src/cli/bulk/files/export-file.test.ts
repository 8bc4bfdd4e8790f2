import { execFileSync } from 'node:child_process';
import { lchown, link, lstat, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openExport } from './export-file.ts';

const readFingerprint = () => Promise.resolve('fingerprint');
const CURSOR = { createdAt: '2026-01-01T00:00:00.000Z', id: 'a' };

async function finishedExport(bytes: number): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'export-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'audit.ndjson');
  const file = await openExport(path, readFingerprint, false);
  await file.write('x'.repeat(bytes));
  await file.saveCheckpoint(CURSOR);
  await file.finish(true);
  return path;
}

test('resuming a finished export copies the file atomically', async () => {
  const bytes = 2 ** 27;
  const path = await finishedExport(bytes);
  const sizes = new Set<number | undefined>();
  const opening = openExport(path, readFingerprint, true);
  const watch = setInterval(() => sizes.add(statSync(`${path}.partial`, { throwIfNoEntry: false })?.size), 0);
  const file = await opening.finally(() => clearInterval(watch));
  await file.close();
  expect([...sizes].filter((size) => size !== undefined && size !== bytes)).toEqual([]);
  expect((await stat(`${path}.partial`)).size).toBe(bytes);
});

test('resuming a finished export ignores an incomplete copy', async () => {
  const path = await finishedExport(10);
  await writeFile(`${path}.partial.copy`, 'x');
  const file = await openExport(path, readFingerprint, true);
  expect(file.start).toEqual(CURSOR);
  await file.write('y');
  await file.finish(true);
  expect((await stat(path)).size).toBe(11);
  await expect(stat(`${path}.partial.copy`)).rejects.toThrow('ENOENT');
});

test('resuming a finished export fails if the file is missing', async () => {
  const path = await finishedExport(10);
  await rm(path);
  await expect(openExport(path, readFingerprint, true)).rejects.toThrow(`${path} is missing, but ${path}.checkpoint exists`);
});

test('an export does not replace a device or a pipe', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'export-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const pipe = join(directory, 'pipe.csv');
  execFileSync('mkfifo', [pipe]);
  const linkPath = join(directory, 'link.csv');
  await symlink(pipe, linkPath);
  for (const path of [pipe, linkPath]) {
    await expect(openExport(path, readFingerprint, false)).rejects.toThrow(`${path} is not a file`);
    await expect(openExport(path, readFingerprint, true)).rejects.toThrow(`${path} is not a file`);
  }
  expect((await readdir(directory)).toSorted()).toEqual(['link.csv', 'pipe.csv']);
  expect((await stat(linkPath)).isFIFO()).toBe(true);
});

test('an export to a symbolic link replaces the target of the link', async () => {
  const path = await finishedExport(10);
  const linkPath = `${path}.link`;
  await symlink(path, linkPath);
  const file = await openExport(linkPath, readFingerprint, false);
  await file.write('new');
  await file.finish(false);
  expect([(await lstat(linkPath)).isSymbolicLink(), await readFile(path, 'utf8')]).toEqual([true, 'new']);
});

describe('a planted file', () => {
  const SECRET = 'unchanged';
  async function createTarget(): Promise<{ path: string; victim: string }> {
    const directory = await mkdtemp(join(tmpdir(), 'export-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const victim = join(directory, 'victim');
    await writeFile(victim, SECRET);
    return { path: join(directory, 'items.csv'), victim };
  }

  test.each(['.partial', '.checkpoint'])('in the place of FILE%s is replaced, and the target of a link is unchanged', async (suffix) => {
    const { path, victim } = await createTarget();
    await symlink(victim, path + suffix);
    const file = await openExport(path, readFingerprint, false);
    await file.write('rows');
    await file.saveCheckpoint(CURSOR);
    await file.finish(true);
    expect(await readFile(victim, 'utf8')).toBe(SECRET);
    expect([await readFile(path, 'utf8'), (await lstat(path)).isFile()]).toEqual(['rows', true]);
    expect((await lstat(`${path}.checkpoint`)).isFile()).toBe(true);
  });

  test.each([
    ['symbolic', symlink],
    ['hard', link],
  ])('in the place of FILE.partial that is a %s link is not resumed', async (_kind, plant) => {
    const { path, victim } = await createTarget();
    const file = await openExport(path, readFingerprint, false);
    await file.saveCheckpoint(CURSOR);
    await file.close();
    await rm(`${path}.partial`);
    await plant(victim, `${path}.partial`);
    await expect(openExport(path, readFingerprint, true)).rejects.toThrow(`Cannot continue ${path}.partial: it `);
    expect(await readFile(victim, 'utf8')).toBe(SECRET);
  });

  test('in the place of the copy of a finished export is replaced', async () => {
    const { victim } = await createTarget();
    const path = await finishedExport(10);
    await symlink(victim, `${path}.partial.copy`);
    await (await openExport(path, readFingerprint, true)).close();
    expect(await readFile(victim, 'utf8')).toBe(SECRET);
  });

  test.skipIf(process.getuid?.() !== 0)('of another user is neither followed nor resumed (as root)', async () => {
    const { path, victim } = await createTarget();
    await symlink(victim, path);
    await lchown(path, 65_534, 65_534);
    await expect(openExport(path, readFingerprint, false)).rejects.toThrow(`Cannot write ${path}: it is a symbolic link of another user`);
    await rm(path);
    const file = await openExport(path, readFingerprint, false);
    await file.saveCheckpoint(CURSOR);
    await file.close();
    await lchown(`${path}.checkpoint`, 65_534, 65_534);
    await expect(openExport(path, readFingerprint, true)).rejects.toThrow(`Cannot read ${path}.checkpoint: it belongs to another user`);
    expect(await readFile(victim, 'utf8')).toBe(SECRET);
  });
});
