/** One attempt over a real socket: the request, and the outcome of its response or failure. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { DeliveryRequest } from '../../src/delivery/attempt.ts';
import { toStatusError } from '../../src/delivery/delivery-errors.ts';
import { createSender } from '../../src/delivery/sender.ts';
import type { Resolve } from '../../src/delivery/target-guard.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';

const STARTED_AT = new Date('2026-01-01T00:00:00.500Z');
const toLoopback: Resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);

function openSender(resolve: Resolve = toLoopback, ownPorts: readonly number[] = []) {
  const sender = createSender({
    targets: { allowLoopback: true, allowSubnets: [], requireHttps: true, ownPorts: () => new Set(ownPorts) },
    resolve,
  });
  onTestFinished(() => sender.close());
  const send = (url: string, more: Partial<DeliveryRequest> = {}) =>
    sender.send({ url, headers: { 'x-test': 'yes' }, body: Buffer.from('{"a":1}'), timeoutMs: 20_000, startedAt: STARTED_AT, ...more });
  return { send, close: () => sender.close() };
}

test('the request is a POST of the exact body to the path and query of the URL', async () => {
  let method: string | undefined;
  await using receiver = await startReceiver((response) => {
    ({ method } = response.req);
    response.writeHead(204).end();
  });
  const { send } = openSender();
  const url = `${receiver.url}?a=1&b=%20`;
  const startedMs = performance.now();
  const outcome = await send(url);
  const tookMs = performance.now() - startedMs;
  expect(outcome).toEqual({
    startedAt: STARTED_AT,
    milliseconds: outcome?.milliseconds,
    httpStatus: 204,
    error: null,
    retryAfterSeconds: null,
    timing: outcome?.timing,
  });
  const { connected = null, answered = null } = outcome?.timing ?? {};
  const steps = [0, connected, answered, outcome?.milliseconds];
  expect(steps).toEqual(steps.toSorted((a, b) => Number(a) - Number(b)));
  expect(outcome?.milliseconds).toBeLessThanOrEqual(Math.ceil(tookMs));
  expect(Number.isInteger(outcome?.milliseconds)).toBe(true);
  await send(`${receiver.url}/other`);
  const [first, second] = receiver.received;
  expect([method, first?.path, first?.body, first?.headers['x-test'], second?.path]).toEqual([
    'POST',
    '/hook?a=1&b=%20',
    '{"a":1}',
    'yes',
    '/hook/other',
  ]);
  expect(first?.headers['host']).toBe(new URL(url).host);
});

test('only 2xx is success, 3xx is a redirect that is not followed, and 410 means that the endpoint is gone', () => {
  expect([200, 204, 299].map(toStatusError)).toEqual([null, null, null]);
  expect([300, 304, 399].map(toStatusError)).toEqual(['redirect_not_followed', 'redirect_not_followed', 'redirect_not_followed']);
  expect([199, 400, 409, 410, 411, 500].map(toStatusError)).toEqual([
    'http_199',
    'http_400',
    'http_409',
    'endpoint_gone',
    'http_411',
    'http_500',
  ]);
});

test.for([
  ['of a redirect', 307, '120', 120],
  ['of the first redirect status', 300, '120', 120],
  ['of a server error', 503, '7', 7],
  ['of a gone endpoint', 410, '7', 7],
  ['not of a success', 299, '120', null],
  ['as a date, rounded up to seconds', 503, 'Thu, 01 Jan 2026 00:00:30 GMT', 30],
  ['as a date in the past', 503, 'Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['zero', 503, '0', 0],
  ['not when it is neither', 503, 'soon', null],
  ['not when it is empty', 503, '', null],
  ['the first of two', 503, ['5', '9'], 5],
] as const)('Retry-After is read: %s', async ([, status, retryAfter, expected]) => {
  await using receiver = await startReceiver((response) => void response.setHeader('retry-after', retryAfter).writeHead(status).end());
  const outcome = await openSender().send(receiver.url);
  expect([outcome?.httpStatus, outcome?.retryAfterSeconds]).toEqual([status, expected]);
});

test('a response without Retry-After requests no delay', async () => {
  await using receiver = await startReceiver(500);
  expect(await openSender().send(receiver.url)).toMatchObject({ httpStatus: 500, error: 'http_500', retryAfterSeconds: null });
});

test('an informational response decides nothing', async () => {
  await using receiver = await startReceiver((response) =>
    response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.socket?.resetAndDestroy()),
  );
  const { send } = openSender();
  expect(await send(receiver.url)).toMatchObject({ httpStatus: null, error: 'connection_reset' });
  receiver.answer = (response) => response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.writeHead(503).end());
  expect(await send(receiver.url)).toMatchObject({ httpStatus: 503, error: 'http_503' });
});

test('once there is a status it decides, although the rest of the response fails', async () => {
  await using receiver = await startReceiver((response) => {
    response.writeHead(500, { 'retry-after': '9' }).write('partial');
    setImmediate(() => response.socket?.resetAndDestroy());
  });
  expect(await openSender().send(receiver.url)).toMatchObject({ httpStatus: 500, error: 'http_500', retryAfterSeconds: 9 });
});

test('the response to a failed attempt is recorded, also if it breaks off; that to a success is not', async () => {
  await using receiver = await startReceiver((response) =>
    response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '7', 'set-cookie': 'a=b' }).end('busy '.repeat(400)),
  );
  const { send } = openSender();
  expect((await send(receiver.url))?.response).toEqual({
    headers: { 'content-type': 'text/plain', 'retry-after': '7' },
    body: 'busy '.repeat(400).slice(0, 1_024),
    isTruncated: true,
  });
  receiver.answer = (response) => {
    response.writeHead(500).write('partial', () => response.socket?.resetAndDestroy());
  };
  expect((await send(receiver.url))?.response).toMatchObject({ body: 'partial', isTruncated: false });
  receiver.answer = (response) => response.writeHead(200).end('received');
  expect(await send(receiver.url)).not.toHaveProperty('response');
});

test('a connection is used again after a response of 64 KiB, and closed by a larger one', async () => {
  const sockets: (Socket | null)[] = [];
  await using receiver = await startReceiver((response) => {
    sockets.push(response.socket);
    response.end(Buffer.alloc(65_536));
  });
  const { send } = openSender();
  await send(receiver.url);
  // undici offers a connection again one turn of the event loop after its response.
  for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  await send(receiver.url);
  expect([sockets.length, sockets[1] === sockets[0]]).toEqual([2, true]);
  // Nothing is sent after the byte beyond the limit, so only the limit can end the attempt.
  const closed = Promise.withResolvers<void>();
  receiver.answer = (response) => {
    response.on('close', closed.resolve);
    response.writeHead(500, { 'content-length': 100_000 }).write(Buffer.alloc(65_537));
  };
  expect(await send(receiver.url)).toMatchObject({ httpStatus: 500, error: 'http_500' });
  await closed.promise;
});

test('headers that are too large fail the attempt', async () => {
  await using receiver = await startReceiver((response) => void response.writeHead(200, { 'x-large': 'a'.repeat(40_000) }).end());
  expect(await openSender().send(receiver.url)).toMatchObject({ httpStatus: null, error: 'response_too_large' });
});

test('concurrent requests to one host use connections of their own', async () => {
  const responses: ServerResponse[] = [];
  await using receiver = await startReceiver((response) => {
    if (responses.push(response) === 3) for (const each of responses) each.writeHead(200).end();
  });
  const { send } = openSender();
  const outcomes = await Promise.all([send(receiver.url), send(receiver.url), send(receiver.url)]);
  expect(outcomes.map((outcome) => outcome?.error)).toEqual([null, null, null]);
});

test('a timeout ends the attempt and its connection', async () => {
  const closed = Promise.withResolvers<void>();
  await using receiver = await startReceiver((response) => void response.on('close', closed.resolve));
  const outcome = await openSender().send(receiver.url, { timeoutMs: 100 });
  expect(outcome).toMatchObject({ httpStatus: null, error: 'timeout', retryAfterSeconds: null });
  expect(outcome?.milliseconds).toBeGreaterThanOrEqual(99);
  await closed.promise;
});

test('an attempt that times out while its name is resolved sends nothing', async () => {
  await using receiver = await startReceiver();
  const resolved = Promise.withResolvers<void>();
  const { send } = openSender(async (name) => {
    if (name === 'slow.test') await resolved.promise;
    return toLoopback(name);
  });
  const { port } = new URL(receiver.url);
  expect(await send(`http://slow.test:${port}/slow`, { timeoutMs: 20 })).toMatchObject({ error: 'timeout' });
  resolved.resolve();
  await send(`http://slow.test:${port}/fast`);
  expect(receiver.received.map(({ path }) => path)).toEqual(['/fast']);
});

test('close ends the attempts in progress without an outcome, except those with a status', async () => {
  const responses = new Map<string, ServerResponse>();
  await using receiver = await startReceiver((response, { path }) => void responses.set(path, response));
  const { send, close } = openSender();
  const results = ['/a', '/b', '/c', '/d', '/e', '/f'].map((path) => send(new URL(path, receiver.url).href));
  await receiver.count(6);
  // The end of some attempts, in another order than that of their starts, must not lose others.
  for (const path of ['/b', '/f', '/a']) responses.get(path)?.writeHead(200).end();
  await Promise.all([results[0], results[1], results[5]]);
  responses.get('/d')?.writeHead(503).write('x');
  // Sent and answered after the status, so that the sender has read that.
  receiver.answer = 200;
  await send(new URL('/g', receiver.url).href);
  await close();
  const outcomes = await Promise.all(results);
  expect(outcomes.map((outcome) => outcome?.httpStatus)).toEqual([200, 200, undefined, 503, undefined, 200]);
  expect([outcomes[2], outcomes[4]]).toEqual([undefined, undefined]);
});

test('a closed sender sends nothing', async () => {
  await using receiver = await startReceiver();
  const { send, close } = openSender();
  await close();
  expect(await send(receiver.url)).toBeUndefined();
  const another = openSender();
  // The connection is not open yet.
  const early = another.send(receiver.url);
  await another.close();
  expect(await early).toBeUndefined();
  expect(receiver.received).toEqual([]);
});

test('close closes the connections that are kept open', async () => {
  const closed: string[] = [];
  await using receiver = await startReceiver((response, { path }) => {
    response.socket?.on('close', () => closed.push(path));
    response.end();
  });
  const [idle, sender] = [openSender(), openSender()];
  expect(await idle.send(`${receiver.url}/idle`)).toMatchObject({ error: null });
  expect(await sender.send(`${receiver.url}/closed`)).toMatchObject({ error: null });
  await sender.close();
  await expect.poll(() => closed.length).toBeGreaterThan(0);
  // The other one, which has been idle for longer, is closed when its idle time has passed.
  expect(closed).toEqual(['/hook/closed']);
});

const fails = (code: string, more: Partial<Error> = {}): Resolve => {
  const error = Object.assign(new Error(code), { code, ...more });
  return () => Promise.reject(error);
};

test.for([
  ['connection_refused', ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES']],
  ['dns_not_found', ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA']],
  ['timeout', ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']],
  ['response_too_large', ['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW']],
  [
    'tls_error',
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO', 'CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ],
  ['tls_error', ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'HOSTNAME_MISMATCH']],
  ['connection_reset', ['ECONNRESET', 'EPIPE', 'X_CERT_']],
] as const)('a connection that fails is reported as %s (%s)', async ([expected, codes]) => {
  for (const code of codes) {
    expect([code, (await openSender(fails(code)).send('https://a.test/'))?.error]).toEqual([code, expected]);
    const asCause = fails('OTHER', { cause: Object.assign(new Error(code), { code }) });
    expect([code, (await openSender(asCause).send('https://a.test/'))?.error]).toEqual([code, expected]);
    const one = Object.assign(new Error(code), { code });
    const asOneOfSeveral: Resolve = () => Promise.reject(new AggregateError([new Error('first'), one]));
    expect([code, (await openSender(asOneOfSeveral).send('https://a.test/'))?.error]).toEqual([code, expected]);
  }
});

test.for([
  ['http://a.test/', [80], true],
  ['http://a.test:80/', [80], true],
  ['https://a.test/', [443], true],
  ['https://a.test:443/', [443], true],
  ['http://a.test/', [443], false],
  ['https://a.test/', [80], false],
  ['https://a.test:80/', [80], true],
] as const)('the default port is 80 for http and 443 for https: %s and own ports %s', async ([url, ownPorts, isBlocked]) => {
  const outcome = await openSender(toLoopback, ownPorts).send(url, { timeoutMs: 2_000 });
  expect(outcome?.error === 'target_blocked').toBe(isBlocked);
});
