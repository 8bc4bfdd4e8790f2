/** Options of a daemon behind a load balancer: where they come from, what a restart keeps, and what other users of the machine can see. */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { request } from 'undici';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { getData, mode, readState } from '../../support/cli/daemon.ts';
import { parseMetrics } from '../../support/service/metrics.ts';

const getIssuer = async (url: string): Promise<string> => {
  const { body } = await request(`${url}/.well-known/oauth-authorization-server`);
  return ((await body.json()) as { issuer: string }).issuer;
};

async function start(home: Home, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<DaemonStatus> {
  const { exit, body } = await home.json(['daemon', 'start', '--port', '0', ...args], { env });
  expect(exit).toBe(0);
  return body.data as DaemonStatus;
}

async function writeConfig(home: Home, daemon: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(home.path('config', 'stockroom'), { recursive: true });
  await writeFile(home.path('config', 'stockroom', 'config.json'), JSON.stringify({ daemon }));
}

test('a restart keeps public URL, trusted proxies and drain time', async () => {
  await using home = await makeHome();
  const proxies = ['--trust-proxy', '10.0.0.0/8,fd00::/8', '--trust-proxy', '127.0.0.1'];
  const before = await start(home, ['--public-url', 'https://Stock.example/', ...proxies, '--drain-seconds', '0']);
  const { options } = readState(getData(home));
  expect(options).toMatchObject({
    publicUrl: 'https://stock.example',
    trustProxy: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1/32'],
    drainSeconds: 0,
  });
  const { exit, body } = await home.json(['daemon', 'restart']);
  expect([exit, body.data.url]).toEqual([0, before.url]);
  expect(readState(getData(home)).options).toEqual(options);
  expect(await getIssuer(before.url!)).toBe('https://stock.example');
});

test('a restart with an invalid configuration is rejected, and the daemon keeps running', async () => {
  await using home = await makeHome();
  const before = await start(home, []);
  await writeConfig(home, { colour: 1 });
  const { exit, body } = await home.json(['daemon', 'restart']);
  expect([exit, body.error.message]).toEqual([2, expect.stringContaining('"colour" is not allowed')]);
  await writeConfig(home, {});
  expect((await home.json(['daemon', 'status'])).body.data).toMatchObject({ status: 'running', pid: before.pid });
});

test('config show lists the settings of events', async () => {
  await using home = await makeHome();
  await mkdir(home.path('config', 'stockroom'), { recursive: true });
  await writeFile(home.path('config', 'stockroom', 'config.json'), JSON.stringify({ events: { days: 1 } }));
  const { exit, stdout } = await home.run(['config', 'show']);
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/^events\.days\t1$/mu)]);
});

test('the configuration file and variables set the options, and variables override the file', async () => {
  await using home = await makeHome();
  await writeConfig(home, { publicUrl: 'https://file.example', trustProxy: ['192.168.0.0/16'], drainSeconds: 1 });
  const env = { STOCKROOM_PUBLIC_URL: 'https://env.example' };
  const { url } = await start(home, [], env);
  expect(readState(getData(home)).options).toMatchObject({
    publicUrl: 'https://env.example',
    trustProxy: ['192.168.0.0/16'],
    drainSeconds: 1,
  });
  expect(await getIssuer(url!)).toBe('https://env.example');
  const { body } = await home.json(['config', 'show', '--origin'], { env });
  const file = home.path('config', 'stockroom', 'config.json');
  expect((body.data as { setting: string }[]).filter(({ setting }) => setting.startsWith('daemon.'))).toEqual([
    { setting: 'daemon.publicUrl', value: 'https://env.example', origin: 'STOCKROOM_PUBLIC_URL' },
    { setting: 'daemon.trustProxy', value: '["192.168.0.0/16"]', origin: file },
    { setting: 'daemon.drainSeconds', value: '1', origin: file },
  ]);
});

test('exec uses neither public URL nor trusted proxies of variables and file', async () => {
  await using home = await makeHome();
  await writeConfig(home, { publicUrl: 'https://file.example', drainSeconds: 600 });
  const script =
    'fetch(process.env.STOCKROOM_URL + "/.well-known/oauth-authorization-server").then(async (r) => console.log((await r.json()).issuer))';
  const env = { STOCKROOM_PUBLIC_URL: 'https://env.example', STOCKROOM_TRUST_PROXY: 'nonsense' };
  const { exit, stdout } = await home.run(['exec', '--', process.execPath, '-e', script], { env });
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u)]);
});

test('a start names all options that the running daemon does not have', async () => {
  await using home = await makeHome();
  await start(home, ['--public-url', 'https://stock.example', '--drain-seconds', '0']);
  const args = ['--public-url', 'https://other.example', '--trust-proxy', '10.0.0.0/8'];
  const { exit, body } = await home.json(['daemon', 'start', ...args]);
  expect([exit, body.error.message]).toEqual([5, 'Already running with another public URL, and with other trusted proxies']);
});

test('daemon status shows public URL and metrics at a terminal', async () => {
  await using home = await makeHome();
  await start(home, ['--public-url', 'https://stock.example', '--drain-seconds', '0', '--metrics-port', '0']);
  const { stdout } = await home.terminal(['daemon', 'status']);
  expect(stdout).toMatch(/Public +https:\/\/stock\.example\n/u);
  expect(stdout).toMatch(/Metrics +http:\/\/127\.0\.0\.1:\d+\/metrics\n/u);
});

test('metrics have a port of their own, which a restart keeps and which ends with the daemon', async () => {
  await using home = await makeHome();
  await start(home, ['--metrics-port', '0', '--metrics-host', '127.0.0.1']);
  const { metricsUrl = '', options } = readState(getData(home));
  expect(options).toMatchObject({ metricsPort: Number(new URL(metricsUrl).port), metricsHost: '127.0.0.1' });
  const fetchReady = async () => parseMetrics(await (await request(metricsUrl)).body.text()).values.get('stockroom_ready');
  expect(await fetchReady()).toBe(1);
  expect((await home.json(['daemon', 'restart'])).exit).toBe(0);
  expect(readState(getData(home)).metricsUrl).toBe(metricsUrl);
  expect(await fetchReady()).toBe(1);
  const args = ['daemon', 'start', '--data-dir', home.path('other'), '--port', '0', '--metrics-port', new URL(metricsUrl).port];
  const second = await home.json(args);
  expect([second.exit, second.body.error.code, second.body.error.message]).toEqual([
    7,
    'PORT_TAKEN',
    expect.stringMatching(/^Cannot listen for metrics on port \d+ of 127\.0\.0\.1: it is in use by /u),
  ]);
  expect((await home.json(['daemon', 'stop'])).exit).toBe(0);
  await expect(request(metricsUrl)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('the control port and its token, in a file of their owner only, stay the same over a restart', async () => {
  await using home = await makeHome();
  await start(home, ['--control-port', '0']);
  const { controlUrl = '', options } = readState(getData(home));
  const file = join(getData(home), 'control-token');
  const token = readFileSync(file, 'utf8').trim();
  expect([mode(file), options.controlPort]).toEqual(['600', Number(new URL(controlUrl).port)]);
  const getStatus = async (bearer: string) =>
    (await request(`${controlUrl}/control/tenants`, { headers: { authorization: `Bearer ${bearer}` } })).statusCode;
  expect([await getStatus(token), await getStatus('wrong')]).toEqual([200, 401]);
  expect((await home.terminal(['daemon', 'status'])).stdout).toContain(controlUrl);
  expect((await home.json(['daemon', 'status'])).body.data).toMatchObject({ controlUrl });
  expect((await home.json(['daemon', 'restart'])).exit).toBe(0);
  expect(await getStatus(token)).toBe(200);
  expect((await home.json(['daemon', 'stop'])).exit).toBe(0);
  await expect(request(controlUrl)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('secrets of variables reach the daemon in its environment only', async () => {
  await using home = await makeHome();
  const secret = 'hunter2-5d41402abc4b';
  const { pid } = await start(home, [], { PGPASSWORD: secret, STOCKROOM_API_KEY: `pk_test_${secret}` });
  const read = (name: string) =>
    readFileSync(`/proc/${String(pid)}/${name}`, 'utf8')
      .split('\0')
      .slice(0, -1);
  // Only what a list of processes should show: the program and the data directory.
  expect(
    read('cmdline')
      .filter((word) => !word.startsWith('--'))
      .slice(-1),
  ).toEqual([getData(home)]);
  expect(read('cmdline').join(' ')).not.toMatch(/[{"]|hunter2/u);
  expect(read('environ')).toContain(`PGPASSWORD=${secret}`);
  expect(read('environ').filter((line) => line.startsWith('STOCKROOM_API_KEY='))).toEqual([]);
  expect(mode(getData(home))).toBe('700');
  for (const entry of await readdir(getData(home), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) expect([path, mode(path), (await readFile(path)).includes(secret)]).toEqual([path, '600', false]);
  }
});
