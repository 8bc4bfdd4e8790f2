/** A daemon in the foreground: its output and how it stops. */
import { existsSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { isDataDirectoryLocked } from '../../../src/daemon/data-directory/lock.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { getData, isListening, getKey, itemNames } from '../../support/cli/daemon.ts';

describe('a daemon in the foreground', () => {
  /** Starts in the foreground; resolves with the first line on stdout. */
  async function foreground(home: Home, args: readonly string[] = []) {
    const child = home.spawn(['daemon', 'start', '--foreground', '--port', '0', ...args]);
    let stdout = '';
    const line = new Promise<string>((resolve, reject) => {
      child.stdout?.on('data', (part: Buffer) => {
        stdout += part.toString();
        if (stdout.includes('\n')) resolve(stdout.slice(0, stdout.indexOf('\n')));
      });
      void child.then(({ stderr }) => reject(new Error(`ended: ${String(stderr)}`)));
    });
    return { child, line: await line, all: () => stdout };
  }

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'prints one line of JSON when ready, logs on stderr, and %s stops it with exit 0',
    async (signal) => {
      await using home = await makeHome();
      const { child, line, all } = await foreground(home, ['--json']);
      const { data } = JSON.parse(line) as { data: DaemonStatus };
      expect(data).toMatchObject({ status: 'running', pid: child.pid, dataDir: getData(home) });
      expect((await home.json(['daemon', 'status'])).body).toMatchObject({ data });
      expect((await home.json(['items', 'list'])).exit).toBe(0);
      child.kill(signal);
      const { exitCode, stderr } = await child;
      expect(exitCode).toBe(0);
      expect(all()).toBe(`${line}\n`);
      for (const logged of String(stderr).trimEnd().split('\n')) expect(JSON.parse(logged)).toHaveProperty('level');
      expect(existsSync(join(getData(home), 'daemon.json'))).toBe(false);
      expect(isDataDirectoryLocked(getData(home))).toBe(false);
    },
  );

  test('logs the address on which it listens, also if clients use another one', async () => {
    await using home = await makeHome();
    const { child } = await foreground(home, ['--json', '--host', '127.0.0.2', '--insecure']);
    child.kill('SIGTERM');
    const { stderr } = await child;
    const logged = String(stderr)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; url?: string; host?: string });
    const ready = logged.find(({ msg }) => msg === 'ready');
    expect(ready?.host).toBe('127.0.0.2');
    expect(logged.map(({ msg }) => msg)).toContain(
      `Listening on 127.0.0.2, port ${new URL(ready?.url ?? '').port}: other machines may be able to connect, and API keys are sent unencrypted.`,
    );
  });

  test('prints URL, public part of the key and three example commands in a pipe, and saves the key', async () => {
    await using home = await makeHome();
    const { child, all } = await foreground(home);
    const { url } = (await home.json(['daemon', 'wait'])).body.data as { url: string };
    child.kill('SIGTERM');
    await child;
    const text = all();
    expect(text).toContain(url);
    const key = getKey(home);
    expect(text).not.toContain(key);
    expect(text).toContain(`${key.slice(0, 16)}… (saved in profile "local"; used by default)`);
    expect(text).toMatch(/Try:\n( {2}\S.*\n){3}$/u);
    expect(text).not.toContain('\u001b');
  });

  test('does not start while another daemon is running', async () => {
    await using home = await makeHome();
    const { url } = await home.start();
    const { exit, body } = await home.json(['daemon', 'start', '--foreground', '--port', '0']);
    expect([exit, body.error]).toMatchObject([7, { code: 'DATA_DIRECTORY_LOCKED' }]);
    expect(body.error.message).toContain(url);
    expect((await home.json(['daemon', 'status'])).body.data.url).toBe(url);
  });

  /** A request that the service has let in and whose body is still to come. */
  async function underWay(home: Home, url: string) {
    const body = '{"name":"Under way"}';
    const headers = {
      'x-api-key': getKey(home),
      'idempotency-key': 'under-way',
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    };
    const pending = httpRequest(`${url}/v1/items`, { method: 'POST', headers, agent: false });
    pending.flushHeaders();
    await once(pending, 'continue');
    return { pending, body };
  }

  test('finishes requests in progress on stop and accepts no new ones', async () => {
    await using home = await makeHome();
    const { child, line } = await foreground(home, ['--json']);
    const { url } = (JSON.parse(line) as { data: { url: string } }).data;
    const { pending, body } = await underWay(home, url);
    let log = '';
    child.stderr?.on('data', (part: Buffer) => (log += part.toString()));
    child.kill('SIGTERM');
    // Its end before the request's would leave this loop as well, and fail below.
    while (await isListening(url));
    pending.end(body);
    const [response] = (await once(pending, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(201);
    expect((await child).exitCode).toBe(0);
    expect(log).toContain('"stopped"');
    await home.start();
    expect(await itemNames(home)).toEqual(['Under way']);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('stops immediately on a second %s, and the next start recovers', async (signal, exit) => {
    await using home = await makeHome();
    const { child, line } = await foreground(home, ['--json']);
    const { url } = (JSON.parse(line) as { data: { url: string } }).data;
    const { pending } = await underWay(home, url);
    pending.on('error', () => undefined);
    child.kill(signal);
    // Its end before the request's would leave this loop as well, and fail below.
    while (await isListening(url));
    child.kill(signal);
    expect((await child).exitCode).toBe(exit);
    await home.start();
    expect(await itemNames(home)).toEqual([]);
  });

  test('is ended by the stop command, but not by closed output streams', async () => {
    await using home = await makeHome();
    const { child } = await foreground(home, ['--json', '--log-level', 'debug']);
    child.stdout?.destroy();
    child.stderr?.destroy();
    expect((await home.json(['items', 'list'])).exit).toBe(0);
    expect((await home.json(['items', 'list'])).exit).toBe(0);
    expect((await home.json(['daemon', 'stop'])).exit).toBe(0);
    expect((await child).exitCode).toBe(0);
  });
});
