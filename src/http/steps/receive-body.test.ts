import { type AddressInfo, type Socket, connect } from 'node:net';
import { server as createServer } from '@hapi/hapi';
import { expect, onTestFinished, test } from 'vitest';
import type { StockroomError } from '../../domain/kernel/errors.ts';
import { receiveBody } from './receive-body.ts';

const TIMEOUT_MS = 100;
const MAX_BYTES = 8;

interface Receipt {
  readonly client: Socket;
  /** The body, or the code of the error. */
  readonly outcome: Promise<string>;
}

/** Sends the first bytes of a body. Resolves in the turn of the event loop in which the server starts to receive it. */
async function startBody(length: number, sent: string, requestBodyMs = TIMEOUT_MS): Promise<Receipt> {
  const server = createServer({ host: '127.0.0.1', port: 0 });
  const started = Promise.withResolvers<{ readonly outcome: Promise<string> }>();
  server.route({
    method: 'POST',
    path: '/',
    options: { payload: { parse: false, output: 'stream' } },
    handler: async (request) => {
      const outcome = receiveBody({ timeouts: { requestBodyMs } }, request, MAX_BYTES).then(
        () => (request.payload as Buffer).toString(),
        (error: unknown) => (error as StockroomError).code,
      );
      started.resolve({ outcome });
      return outcome;
    },
  });
  await server.start();
  const client = connect({ host: '127.0.0.1', port: (server.listener.address() as AddressInfo).port });
  onTestFinished(async () => {
    client.destroy();
    await server.stop({ timeout: 0 });
  });
  client.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${String(length)}\r\n\r\n${sent}`);
  return { client, ...(await started.promise) };
}

/** Stops this process for longer than a body may take, as SIGSTOP or a sleeping machine does. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * TIMEOUT_MS);

test('a body that arrives while the process is paused for longer than the timeout is received', async () => {
  const { client, outcome } = await startBody(6, 'abc');
  client.write('def');
  pause();
  expect(await outcome).toBe('abcdef');
});

test('the rest of a body, of which a part arrives during a pause of the process, has the whole timeout again', async () => {
  const { client, outcome } = await startBody(6, 'ab');
  client.write('cd');
  pause();
  const resumedAt = performance.now();
  expect(await outcome).toBe('REQUEST_TIMEOUT');
  // Timers may be a millisecond early.
  expect(performance.now() - resumedAt).toBeGreaterThanOrEqual(TIMEOUT_MS - 1);
});

test.for([
  [MAX_BYTES, 'REQUEST_TIMEOUT'],
  [MAX_BYTES + 1, 'PAYLOAD_TOO_LARGE'],
] as const)('a body that stalls after %i of at most 8 bytes is rejected with %s', async ([sent, code]) => {
  const { outcome } = await startBody(MAX_BYTES + 10, 'x'.repeat(sent));
  expect(await outcome).toBe(code);
});

test('a client that disconnects ends the receipt of its body before the timeout', async () => {
  const { client, outcome } = await startBody(6, 'abc', 600_000);
  client.destroy();
  expect(await outcome).toBe('REQUEST_TIMEOUT');
});
