import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Unreachable } from './errors.ts';
import { openEventStream } from './event-stream.ts';

/** A daemon that accepts connections, sends a text and then hangs. */
async function hangingDaemon(says: string | null) {
  const directory = mkdtempSync(join(tmpdir(), 'sr-'));
  const server = createServer((_request, response) => {
    if (says !== null) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(says);
  });
  const path = join(directory, 'admin.sock');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    path,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(directory, { recursive: true });
    },
  };
}

test('openEventStream times out if the daemon does not respond', async () => {
  await using daemon = await hangingDaemon(null);
  const error = await openEventStream(daemon.path, '/feed', { idleTimeoutMs: 50 }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Unreachable);
  expect(error).toMatchObject({ message: `No response from ${daemon.path}: timed out after 0.05 s`, afterSending: true });
});

test('an event stream ends when it is idle, after the events received before', async () => {
  await using daemon = await hangingDaemon(': ready\n\nid: 1\nevent: audit\ndata: {}\n\n');
  // Long enough for a busy machine to receive the event.
  using stream = await openEventStream(daemon.path, '/feed', { idleTimeoutMs: 3_000 });
  const received = [];
  for await (const message of stream.messages) received.push(message);
  expect(received).toEqual([{ id: '1', event: 'audit', data: {} }]);
});
