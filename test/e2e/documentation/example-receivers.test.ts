/** The published receivers of webhooks against requests of anyone: none may end them, or keep them from receiving deliveries. */
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const folder = fileURLToPath(new URL('../../../docs/examples', import.meta.url));
const RECEIVERS = readdirSync(folder).filter(
  (name) => name.endsWith('.ts') && readFileSync(`${folder}/${name}`, 'utf8').includes('createServer((request'),
);
const SECRET = 'ab'.repeat(32);
const EVENT = '{"event":"order.created","data":{"id":"one","eventId":"event-1"}}';

function sign(body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const hex = createHmac('sha256', Buffer.from(SECRET, 'hex')).update(`${timestamp}.${body}`).digest('hex');
  return { 'x-service-timestamp': timestamp, 'x-service-signature': `v1=${hex}` };
}

/** Starts an example as its reader does; the package is that of the checkout. */
async function startExample(name: string) {
  const child = spawn(process.execPath, [`${folder}/${name}`], {
    cwd: folder,
    env: { ...process.env, PORT: '0', SIGNING_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout });
  const [first] = (await once(lines, 'line')) as [string];
  const { port } = JSON.parse(first.slice(first.indexOf('{'))) as { port: number };
  return { port, lines, isRunning: () => child.exitCode === null && child.signalCode === null };
}

/** Sends raw bytes and ends the connection in the middle, once the other side has had them. */
async function sendRaw(port: number, bytes: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(bytes, resolve));
  // Node answers what is malformed; what is only cut off has no answer before its end.
  socket.resetAndDestroy();
  await once(socket, 'close');
}

test('there are receivers among the examples', () => {
  expect(RECEIVERS).toEqual(['signature.ts', 'webhooks.ts']);
});

test.each(RECEIVERS)('%s survives requests of anyone and receives the next delivery', async (name) => {
  const { port, lines, isRunning } = await startExample(name);
  const url = `http://127.0.0.1:${String(port)}/`;
  const post = async (body: string, headers: Record<string, string> = {}): Promise<number | string> =>
    fetch(url, { method: 'POST', body, headers }).then(
      ({ status }) => status,
      () => 'closed',
    );
  const head = (length: number, more = '') => `POST / HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: ${String(length)}\r\n\r\n`;
  for (const bytes of [
    `${head(1_000)}{"event"`,
    `${head(
      EVENT.length,
      Object.entries(sign(EVENT))
        .map(([key, value]) => `${key}: ${value}\r\n`)
        .join(''),
    )}${EVENT.slice(0, 10)}`,
    'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'GET / HTTP/1.1\r\n',
    '\0\u0016\u0003\u0001',
  ]) {
    await sendRaw(port, bytes);
    expect(await post('{}'), bytes).toBe(400);
  }
  for (const [body, headers] of [
    [EVENT, {}],
    ['', {}],
    [EVENT, { ...sign(EVENT), 'x-service-signature': `v1=${'00'.repeat(32)}` }],
    [EVENT, { 'x-service-timestamp': 'soon', 'x-service-signature': 'v1=zz' }],
    ['no JSON', sign('no JSON')],
    ['null', sign('null')],
    ['[]', sign('[]')],
    ['{"event":"order.created"}', sign('{"event":"order.created"}')],
  ] as const)
    expect([body, headers, await post(body, headers)]).toEqual([body, headers, 400]);
  // The connection may be closed while the body is still being sent.
  for (const body of ['x'.repeat(20_000_000), EVENT.padEnd(1_000_000)]) expect([400, 'closed']).toContain(await post(body, sign(body)));
  const line = once(lines, 'line');
  expect(await post(EVENT, sign(EVENT))).toBe(204);
  expect(await line).toEqual(['order.created one']);
  expect(isRunning()).toBe(true);
});
