import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Unreachable } from './errors.ts';
import { openStream } from './stream.ts';

/** A daemon that accepts connections and then says only this. */
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

test('a daemon that never begins to tell is given up as one that does not answer', async () => {
  await using daemon = await hangingDaemon(null);
  const error = await openStream(daemon.path, '/feed', undefined, 50).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Unreachable);
  expect(error).toMatchObject({ message: `no answer from ${daemon.path}: no answer for 0.05 s`, afterSending: true });
});

test('a stream on which nothing comes any more ends, with all that was told before', async () => {
  await using daemon = await hangingDaemon(': ready\n\nid: 1\nevent: audit\ndata: {}\n\n');
  // Long enough for a process that does not run for a while to hear what was said before.
  const { messages } = await openStream(daemon.path, '/feed', undefined, 3_000);
  const told = [];
  for await (const message of messages) told.push(message);
  expect(told).toEqual([{ id: '1', event: 'audit', data: {} }]);
});
