/** A real receiver of deliveries on 127.0.0.1 with configurable answers. */
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Exactly what came. */
  readonly body: string;
  readonly at: number;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** How the next requests are answered: a status, or whatever the function does to the response. */
  answer: number | ((response: ServerResponse, request: Received) => void);
  /** Resolves when at least so many requests have come in all. */
  count(wanted: number): Promise<readonly Received[]>;
}

export async function startReceiver(answer: Receiver['answer'] = 200): Promise<Receiver> {
  const received: Received[] = [];
  let waiting: { wanted: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const one: Received = { path: request.url ?? '', headers: request.headers, body, at: performance.now() };
      received.push(one);
      if (typeof receiver.answer === 'number') response.writeHead(receiver.answer).end();
      else receiver.answer(response, one);
      for (const { wanted, resolve } of waiting) if (received.length >= wanted) resolve();
      waiting = waiting.filter(({ wanted }) => received.length < wanted);
    });
    // The other side gives up on some of our answers.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`,
    received,
    answer,
    async count(wanted) {
      if (received.length < wanted) await new Promise<void>((resolve) => waiting.push({ wanted, resolve }));
      return received;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
