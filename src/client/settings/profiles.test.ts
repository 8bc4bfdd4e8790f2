import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { type Env } from '../../platform/local-paths.ts';
import {
  setActiveProfile,
  getConfigFile,
  getCredentialsFile,
  readConfig,
  readKey,
  removeProfile,
  saveLocalKey,
  saveProfile,
} from './profiles.ts';

/** A configuration directory whose files contain more than profiles. */
function written(): { env: Env; config: () => unknown; keys: () => unknown } {
  const home = mkdtempSync(join(tmpdir(), 'sr-saved-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { XDG_CONFIG_HOME: home };
  mkdirSync(join(home, 'stockroom'));
  const one = { url: 'http://127.0.0.1:1' };
  writeFileSync(getConfigFile(env), JSON.stringify({ daemon: { port: 9000 }, later: [1], profile: 'one', profiles: { one, two: one } }));
  writeFileSync(
    getCredentialsFile(env),
    JSON.stringify({ later: { token: 't' }, profiles: { one: { apiKey: 'k1' }, two: { apiKey: 'k2' } } }),
  );
  const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
  return { env, config: () => read(getConfigFile(env)), keys: () => read(getCredentialsFile(env)) };
}

test('changes of profiles keep the other sections of both files', () => {
  const { env, config, keys } = written();
  const others = { daemon: { port: 9000 }, later: [1] };
  const steps = [
    () => saveProfile(env, 'three', { url: 'http://127.0.0.1:3' }, 'k3'),
    () => setActiveProfile(env, 'two'),
    () => removeProfile(env, 'one'),
    () => removeProfile(env, 'two'),
    () => void saveLocalKey(env, { dataDir: '/data', tenant: 'local', apiKey: 'k4' }),
    () => removeProfile(env, 'local'),
    () => removeProfile(env, 'three'),
  ];
  for (const step of steps) {
    step();
    expect(config()).toMatchObject(others);
    expect(keys()).toMatchObject({ later: { token: 't' } });
  }
  expect(config()).toEqual({ ...others, profiles: {} });
  expect(keys()).toEqual({ later: { token: 't' }, profiles: {} });
});

test('removing a profile removes its key, and deactivates it', () => {
  const { env, config } = written();
  removeProfile(env, 'two');
  expect(config()).toMatchObject({ profile: 'one' });
  expect([readKey(env, 'one'), readKey(env, 'two')]).toEqual(['k1', undefined]);
  removeProfile(env, 'one');
  expect(config()).not.toHaveProperty('profile');
  expect(readKey(env, 'one')).toBeUndefined();
});

test('concurrent saves are all kept', async () => {
  const { env, keys } = written();
  const saving = (name: string) => `
    import { saveProfile } from ${JSON.stringify(new URL('profiles.ts', import.meta.url).href)};
    for (let at = 0; at < 10; at += 1) saveProfile(process.env, ${JSON.stringify(name)} + at, {}, 'k');`;
  const writers = ['a', 'b', 'c', 'd'];
  const run = promisify(execFile);
  const said = await Promise.all(
    writers.map((name) => run(process.execPath, ['--input-type=module', '-e', saving(name)], { env: { ...process.env, ...env } })),
  );
  expect(said.map(({ stderr }) => stderr).join('')).toBe('');
  const all = writers.flatMap((name) => Array.from({ length: 10 }, (_, at) => name + String(at)));
  expect(Object.keys((keys() as { profiles: object }).profiles).toSorted()).toEqual([...all, 'one', 'two'].toSorted());
  expect(Object.keys(readConfig(env).profiles).toSorted()).toEqual([...all, 'one', 'two'].toSorted());
});
