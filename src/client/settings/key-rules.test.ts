/** The table of sources of the key and sources of the address, cell by cell, on real files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AddressSource, KEY_RULES, type KeySource } from './key-rules.ts';
import { resolveTarget } from './target.ts';

const SAVED_URL = 'https://saved.example';
const OTHER_URL = 'https://other.example';

interface Case {
  /** The service that the address names: the one of the profile, or another. */
  readonly service: 'profile' | 'other';
  /** Whether another profile has the origin, so that the user named it. */
  readonly isNamed: boolean;
}

/** A user with the profiles `hosted`, for a URL, and `here`, for a data directory, each with its key. */
function createUser() {
  const home = mkdtempSync(join(tmpdir(), 'keys-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const config = join(home, 'config', 'stockroom');
  const project = join(home, 'project');
  mkdirSync(config, { recursive: true });
  mkdirSync(join(project, '.git'), { recursive: true });
  const [own, other] = [join(home, 'own'), join(home, 'other')];
  return {
    own,
    other,
    project,
    resolve({ source, key, profile, service, isNamed }: Case & { source: AddressSource; key: KeySource; profile: 'hosted' | 'here' }) {
      const named = isNamed ? { named: { url: OTHER_URL } } : {};
      const profiles = { hosted: { url: SAVED_URL }, here: { dataDir: own }, ...named };
      writeFileSync(join(config, 'config.json'), JSON.stringify({ profile, profiles }));
      const keys = { hosted: { apiKey: 'saved' }, here: { apiKey: 'saved' } };
      writeFileSync(join(config, 'credentials.json'), JSON.stringify({ profiles: keys }), { mode: 0o600 });
      const url = service === 'profile' ? SAVED_URL : OTHER_URL;
      const dataDir = service === 'profile' ? own : other;
      rmSync(join(project, '.stockroom.json'), { force: true });
      if (source === 'project-file') writeFileSync(join(project, '.stockroom.json'), JSON.stringify({ url }));
      const env = {
        HOME: home,
        XDG_CONFIG_HOME: join(home, 'config'),
        XDG_DATA_HOME: join(home, 'data'),
        XDG_CACHE_HOME: join(home, 'cache'),
        STOCKROOM_PROFILE: profile,
        ...(key === 'variable' && { STOCKROOM_API_KEY: 'variable' }),
        ...(source === 'url-variable' && { STOCKROOM_URL: url }),
        ...(source === 'directory-variable' && { STOCKROOM_DATA_DIR: dataDir }),
      };
      const flags = {
        ...(key === 'file' && { key: 'file' }),
        ...(source === 'url-flag' && { url }),
        ...(source === 'directory-flag' && { dataDir }),
      };
      return resolveTarget(flags, env, project);
    },
  };
}

const SOURCES = Object.keys(KEY_RULES.saved) as AddressSource[];
const URL_SOURCES = ['url-flag', 'url-variable', 'project-file'] as const;
const DIRECTORY_SOURCES = ['directory-flag', 'directory-variable'] as const;
const isUrl = (source: AddressSource): boolean => (URL_SOURCES as readonly string[]).includes(source);

describe.each(SOURCES)('address from %s', (source) => {
  const profile = isUrl(source) || source === 'profile' ? 'hosted' : 'here';

  test.each(['file', 'variable', 'saved'] as const)('of the service of the profile gets the key from %s', (key) => {
    const target = createUser().resolve({ source, key, profile, service: 'profile', isNamed: false });
    expect([target.key?.value, target.withheldKey]).toEqual([key, undefined]);
  });

  // Without another source, the address is that of the profile.
  if (source === 'profile') return;

  test('of another service gets --api-key-file, and never a saved key', () => {
    const user = createUser();
    for (const isNamed of [true, false]) {
      const other = { source, profile, service: 'other', isNamed } as const;
      expect(user.resolve({ ...other, key: 'file' }).key?.value).toBe('file');
      const { key, withheldKey } = user.resolve({ ...other, key: 'saved' });
      expect([key, withheldKey]).toEqual([undefined, { source: 'saved', reason: isUrl(source) ? 'other-url' : 'other-directory' }]);
    }
  });

  test('of another service gets STOCKROOM_API_KEY unless only a project file names the URL', () => {
    const user = createUser();
    const resolve = (isNamed: boolean) => user.resolve({ source, profile, service: 'other', isNamed, key: 'variable' });
    expect(resolve(true).key?.value).toBe('variable');
    const { key, withheldKey } = resolve(false);
    expect([key?.value, withheldKey]).toEqual(
      source === 'project-file' ? [undefined, { source: 'variable', reason: 'project-file' }] : ['variable', undefined],
    );
  });
});

test.each(DIRECTORY_SOURCES)('the key of a profile for a URL is not sent to the daemon of a data directory from %s', (source) => {
  const user = createUser();
  // STOCKROOM_PROFILE with STOCKROOM_DATA_DIR: the profile has a URL, which outranks the variable, and its own key.
  const target = user.resolve({ source, key: 'saved', profile: 'hosted', service: 'other', isNamed: false });
  if (source === 'directory-variable') expect([target.url.value, target.key?.value]).toEqual([SAVED_URL, 'saved']);
  else expect([target.key, target.withheldKey?.reason]).toEqual([undefined, 'other-directory']);
});
