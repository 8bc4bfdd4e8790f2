import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findProjectFile } from './project-file.ts';

const OTHER_USER = 65_534;
const TENANT = { tenant: 'acme' };

let root: string;
let home: string;
let project: string;
let deep: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'stockroom-project-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  home = join(root, 'home');
  project = join(home, 'project');
  deep = join(project, 'deep', 'down');
  mkdirSync(deep, { recursive: true });
});

const find = (cwd: string, env: Record<string, string> = { HOME: home }) => findProjectFile(env, cwd);

function write(directory: string, content: object = TENANT): string {
  const path = join(directory, '.stockroom.json');
  writeFileSync(path, JSON.stringify(content), { mode: 0o644 });
  return path;
}

describe('a project file is searched', () => {
  test('from the working directory up to HOME and not above it', () => {
    write(root);
    expect(find(deep)).toEqual({ file: undefined, ignored: [] });
    const inHome = write(home);
    expect(find(deep).file).toEqual({ path: inHome, content: TENANT });
    const nearest = write(project, { tenant: 'nearest' });
    expect(find(deep).file).toEqual({ path: nearest, content: { tenant: 'nearest' } });
  });

  test('not above the root of the repository', () => {
    write(home);
    mkdirSync(join(project, '.git'));
    expect(find(deep).file).toBeUndefined();
    const path = write(project);
    expect(find(deep).file?.path).toBe(path);
  });

  test('only in the working directory outside of HOME and of a repository', () => {
    const above = write(project);
    const elsewhere = { HOME: join(root, 'elsewhere') };
    expect(find(deep, elsewhere).file).toBeUndefined();
    expect(find(project, elsewhere).file?.path).toBe(above);
  });
});

describe.skipIf(process.getuid === undefined)('a project file is ignored', () => {
  test.each([
    ['other users can write to it', 0o646, 0o755],
    ['other users can write to its directory', 0o644, 0o757],
    ['other users can write to its directory', 0o644, 0o1777],
  ])('because %s (modes %o and %o)', (reason, fileMode, directoryMode) => {
    const path = write(project);
    chmodSync(path, fileMode);
    chmodSync(project, directoryMode);
    expect(find(deep)).toEqual({ file: undefined, ignored: [{ path, reason }] });
  });

  test('and the search continues above it', () => {
    const inHome = write(home, { tenant: 'home' });
    const path = write(project);
    chmodSync(path, 0o666);
    expect(find(deep)).toEqual({
      file: { path: inHome, content: { tenant: 'home' } },
      ignored: [{ path, reason: 'other users can write to it' }],
    });
  });

  // Only root may give files to other users.
  describe.skipIf(process.getuid?.() !== 0)('(as root)', () => {
    test('because another user owns it', () => {
      const path = write(project);
      chownSync(path, OTHER_USER, OTHER_USER);
      expect(find(deep)).toEqual({ file: undefined, ignored: [{ path, reason: 'another user owns it' }] });
    });

    test('because another user owns its directory', () => {
      const path = write(project);
      chownSync(project, OTHER_USER, OTHER_USER);
      expect(find(deep)).toEqual({ file: undefined, ignored: [{ path, reason: 'another user owns its directory' }] });
    });

    test('because a shared group can write to it, but not if the group is private to the user', () => {
      const path = write(project);
      chmodSync(path, 0o664);
      chmodSync(project, 0o775);
      expect(find(deep).file?.path).toBe(path);
      chownSync(path, 0, 100);
      expect(find(deep).ignored).toEqual([{ path, reason: 'other users can write to it' }]);
    });
  });
});

test('cors is a list of origins, and all else is text', () => {
  write(project, { cors: ['http://localhost:5173'], tenant: 'shop' });
  expect(find(deep).file?.content).toEqual({ cors: ['http://localhost:5173'], tenant: 'shop' });
  for (const cors of ['http://localhost:5173', [1], {}]) {
    write(project, { cors });
    expect(() => find(deep)).toThrow('"cors" must be a list of origins');
  }
});
