import { describe, expect, test } from 'vitest';
import { parseAllowedOrigin, parsePublicUrl, parseTrustedRange, resolveDeploymentSettings } from './deployment-settings.ts';
import type { Env } from '../platform/local-paths.ts';
import { DaemonError } from './errors.ts';
import { fromFlag } from './setting-source.ts';

const FLAG = fromFlag('--flag');

const getError = (work: () => unknown): DaemonError => {
  try {
    work();
  } catch (error) {
    if (error instanceof DaemonError) return error;
    throw error;
  }
  throw new Error('no error');
};

describe('an origin of pages that may use the API', () => {
  test.each([
    ['http://localhost:5173', 'http://localhost:5173'],
    [' HTTPS://App.example/ ', 'https://app.example'],
    ['http://localhost:*', 'http://localhost:*'],
    ['http://[::1]:*', 'http://[::1]:*'],
  ])('%s is %s', (text, origin) => {
    expect(parseAllowedOrigin(text, FLAG)).toBe(origin);
  });

  test.each(['*', 'null', '', 'localhost:5173', 'http://*.example', 'http://localhost:80:*', 'http://localhost:5173/app', 'file://'])(
    '%j is rejected with an example',
    (text) => {
      expect(getError(() => parseAllowedOrigin(text, FLAG))).toMatchObject({
        code: 'USAGE',
        exit: 2,
        message: expect.stringContaining(`"${text}"`) as string,
      });
    },
  );
});

describe('a public URL', () => {
  test.each([
    ['https://stock.example.com', 'https://stock.example.com'],
    ['https://stock.example.com/', 'https://stock.example.com'],
    ['HTTPS://Stock.Example.com:443/', 'https://stock.example.com'],
    ['http://stock.example.com:8080', 'http://stock.example.com:8080'],
    ['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
    ['http://10.0.0.1', 'http://10.0.0.1'],
  ])('%s is the origin %s', (text, origin) => {
    expect(parsePublicUrl(text, FLAG)).toBe(origin);
  });

  test.each([
    '',
    'stock.example.com',
    'stock.example.com:8443',
    '//stock.example.com',
    'ftp://stock.example.com',
    'https://',
    'https://*',
    'https://*.example.com',
    'https://stock.example.com/api',
    'https://stock.example.com//',
    'https://stock.example.com?',
    'https://stock.example.com/?a=1',
    'https://stock.example.com#',
    'https://user@stock.example.com',
    'https://stock.example.com:99999',
  ])('"%s" is a usage error', (text) => {
    expect(getError(() => parsePublicUrl(text, FLAG))).toMatchObject({ code: 'USAGE', exit: 2 });
  });

  test('with a password is rejected without showing it', () => {
    const { message, hint } = getError(() => parsePublicUrl('https://user:hunter2@stock.example.com', FLAG));
    expect(message).toBe('Invalid public URL in --flag. Use http or https with a host, without user, path, query and fragment');
    expect(hint).not.toContain('hunter2');
  });
});

describe('a range of trusted proxies', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    [' fd00::/8 ', 'fd00::/8'],
    ['127.0.0.1', '127.0.0.1/32'],
    ['::1', '::1/128'],
  ])('%s is %s', (text, range) => {
    expect(parseTrustedRange(text, FLAG)).toBe(range);
  });

  test.each(['', '10.0.0.0/33', '::/129', '10.0.0/8', 'localhost', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0-10.0.0.9'])(
    '"%s" is a usage error',
    (text) => {
      expect(getError(() => parseTrustedRange(text, FLAG))).toMatchObject({
        code: 'USAGE',
        exit: 2,
        message: `Invalid address range "${text}" in --flag. Use CIDR notation`,
      });
    },
  );
});

describe('settings of a deployment', () => {
  const env = { STOCKROOM_PUBLIC_URL: 'https://env.example', STOCKROOM_TRUST_PROXY: '10.0.0.0/8,fd00::/8' };
  const file = { publicUrl: 'https://file.example', trustProxy: ['192.168.0.0/16', '172.16.0.0/12'], drainSeconds: 7, console: false };
  const local = { hasSharedStore: false, insecure: false, configFile: '/config.json' };

  test('come from flags, then variables, then the file', () => {
    const flags = {
      publicUrl: 'https://flag.example',
      cors: ['http://localhost:*,https://app.example'],
      trustProxy: ['127.0.0.1', '10.0.0.1,10.0.0.2'],
      drainSeconds: 0,
      console: true,
      contract: 'strict',
    } as const;
    expect(resolveDeploymentSettings(flags, env, file, local)).toEqual({
      publicUrl: 'https://flag.example',
      cors: ['http://localhost:*', 'https://app.example'],
      trustProxy: ['127.0.0.1/32', '10.0.0.1/32', '10.0.0.2/32'],
      drainSeconds: 0,
      // The given contract has no console.
      console: false,
      contract: 'strict',
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      controlHost: '127.0.0.1',
    });
    expect(resolveDeploymentSettings({}, env, file, local)).toEqual({
      publicUrl: 'https://env.example',
      cors: [],
      trustProxy: ['10.0.0.0/8', 'fd00::/8'],
      drainSeconds: 7,
      console: false,
      contract: 'extended',
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      controlHost: '127.0.0.1',
    });
    expect(resolveDeploymentSettings({ console: true }, {}, file, local).console).toBe(true);
    expect(resolveDeploymentSettings({}, { STOCKROOM_PUBLIC_URL: '', STOCKROOM_TRUST_PROXY: '' }, file, local)).toMatchObject(file);
  });

  test('have a listener for metrics if its port is set', () => {
    const getMetrics = (flags: object, fileSettings: object) => {
      const { metricsPort, metricsHost } = resolveDeploymentSettings(flags, {}, fileSettings, local);
      return [metricsPort, metricsHost];
    };
    expect(getMetrics({ metricsPort: 0 }, { metricsPort: 9_000, metricsHost: '0.0.0.0' })).toEqual([0, '0.0.0.0']);
    expect(getMetrics({ metricsHost: '::1' }, { metricsPort: 9_000 })).toEqual([9_000, '::1']);
    expect(getMetrics({}, { metricsHost: '0.0.0.0' })).toEqual([undefined, '0.0.0.0']);
    expect(getError(() => getMetrics({ metricsHost: '::1' }, {}))).toMatchObject({ code: 'USAGE' });
  });

  test('have a control port if it is set, beyond loopback only with --insecure', () => {
    const resolve = (flags: object, variables: Env = {}, options: object = {}) => {
      const { controlPort, controlHost, controlToken } = resolveDeploymentSettings(flags, variables, {}, { ...local, ...options });
      return [controlPort, controlHost, controlToken];
    };
    const token = { STOCKROOM_CONTROL_TOKEN: '0123456789abcdef' };
    expect(resolve({}, token)).toEqual([undefined, '127.0.0.1', undefined]);
    expect(resolve({ controlPort: 0 }, token)).toEqual([0, '127.0.0.1', '0123456789abcdef']);
    const open = { controlPort: 0, controlHost: '0.0.0.0' };
    expect(resolve(open, {}, { insecure: true })).toEqual([0, '0.0.0.0', undefined]);
    expect(getError(() => resolve(open))).toMatchObject({ code: 'USAGE', message: expect.stringContaining('0.0.0.0') as string });
    expect(getError(() => resolve({ controlHost: '::1' }))).toMatchObject({ code: 'USAGE' });
    const short = getError(() => resolve({ controlPort: 0 }, { STOCKROOM_CONTROL_TOKEN: 'hunter2' })) as Error;
    expect(short.message).not.toContain('hunter2');
  });

  test('drain for five seconds only if a load balancer is to be expected', () => {
    const getDrain = (flags: object, hasSharedStore: boolean) =>
      resolveDeploymentSettings(flags, {}, {}, { hasSharedStore, insecure: false, configFile: '/config.json' }).drainSeconds;
    expect(getDrain({}, false)).toBe(0);
    expect(getDrain({}, true)).toBe(5);
    expect(getDrain({ publicUrl: 'https://stock.example' }, false)).toBe(5);
    expect(getDrain({ drainSeconds: 0 }, true)).toBe(0);
  });
});
