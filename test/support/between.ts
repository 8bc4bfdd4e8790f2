/** Stands between a command and a service, so that a test can do something at a moment that the command cannot pass. */
import { type IncomingMessage, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';

export interface Between extends AsyncDisposable {
  readonly url: string;
}

/** Hands every question on, with this key, once `before` has let it pass. */
export async function startBetween(
  target: string,
  key: string,
  before: (question: IncomingMessage) => Promise<void> | void,
): Promise<Between> {
  const server = createServer((question, answer) => {
    void (async () => {
      await before(question);
      const reply = await request(`${target}${question.url ?? ''}`, { headers: { 'x-api-key': key } });
      const headers = Object.entries(reply.headers).filter(([name]) => /^(?:content-type|(?:x-)?ratelimit)/u.test(name));
      answer.writeHead(reply.statusCode, Object.fromEntries(headers)).end(await reply.body.text());
    })().catch(() => question.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
