/** A service that shows which keys it receives. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers every request with an empty list and remembers the keys it was shown. */
export async function startKeyListener() {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['x-api-key'] as string | undefined);
    response.end('{"data":[],"pagination":{"page":1,"pageSize":50,"total":0,"totalPages":0}}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    keys,
    async [Symbol.asyncDispose]() {
      server.close();
      await Promise.resolve();
    },
  };
}
