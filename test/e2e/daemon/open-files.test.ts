/** A daemon that may open few files. */
import { connect } from 'node:net';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { RUN, makeHome } from '../../support/cli/home.ts';

const MAX_FILES = 1_024;
/** More than the process could have open. */
const CONNECTIONS = 1_100;

/** The status of the first response, or how the connection ended without one. */
function getStatus(url: URL): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname).setEncoding('utf8');
    let text = '';
    socket.on('connect', () => socket.write(`GET /healthz HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`));
    socket.on('data', (part: string) => {
      text += part;
      // Kept open, so that all are open together.
      if (text.includes('\r\n\r\n')) resolve(text.slice(9, 12));
    });
    socket.on('error', ({ message }) => resolve(text === '' ? message : text.slice(9, 12)));
    socket.on('end', () => resolve(text === '' ? 'no response' : text.slice(9, 12)));
  });
}

test.runIf(process.platform === 'linux')('more connections than a daemon may open files get 200 or 503, none is reset', async () => {
  await using home = await makeHome();
  const args = [`--nofile=${String(MAX_FILES)}:${String(MAX_FILES)}`, process.execPath, RUN, 'daemon', 'start', '--port', '0', '--json'];
  const { stdout } = await execa('prlimit', args, { env: home.env, extendEnv: false });
  const { data } = JSON.parse(stdout) as { readonly data: { readonly url: string } };
  const statuses = await Promise.all(Array.from({ length: CONNECTIONS }, () => getStatus(new URL(data.url))));
  const counts = new Map([...Map.groupBy(statuses, (status) => status)].map(([status, group]) => [status, group.length]));
  expect([...counts.keys()].toSorted()).toEqual(['200', '503']);
  expect(counts.get('200')).toBeGreaterThan(MAX_FILES / 2);
});
