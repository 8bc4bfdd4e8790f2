/** Stands between a command and a service, so that a test can do something at a moment that the command cannot pass. */
import { type IncomingMessage, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
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
      const body = await buffer(question);
      await before(question);
      const { method = 'GET', url = '', headers: received } = question;
      const kept = Object.entries(received).filter(([name]) => /^(?:accept|content-type|idempotency-key|if-match)$/u.test(name));
      const reply = await request(`${target}${url}`, {
        method: method as 'GET',
        headers: { ...Object.fromEntries(kept), 'x-api-key': key },
        body: body.length > 0 ? body : null,
      });
      const headers = Object.entries(reply.headers).filter(([name]) => /^(?:content-type|retry-after|(?:x-)?ratelimit)/u.test(name));
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
