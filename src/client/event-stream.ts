/** Reads server-sent events of the admin API. */
import type { IncomingMessage } from 'node:http';
import { Unreachable } from './errors.ts';
import { IDLE_TIMEOUT_MS } from './transport/transport.ts';

export interface StreamMessage {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export interface EventStream extends Disposable {
  /** Ends without an error when the connection is lost. */
  readonly messages: AsyncIterable<StreamMessage>;
}

export interface EventStreamOptions {
  /** The id of the last message received; the stream continues after it. */
  readonly lastId?: string | undefined;
  /** Closes the stream. */
  readonly signal?: AbortSignal;
  /** A hanging daemon keeps its connections open, so the stream ends when not even a heartbeat arrives for this long. */
  readonly idleTimeoutMs?: number;
}

/** Resolves when the stream has started: from then on no event is missed. */
export async function openEventStream(
  socketPath: string,
  path: string,
  { lastId, signal, idleTimeoutMs = IDLE_TIMEOUT_MS }: EventStreamOptions = {},
): Promise<EventStream> {
  const http = process.getBuiltinModule('node:http');
  const headers = { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
  const timedOut = `timed out after ${String(idleTimeoutMs / 1000)} s`;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = http.request({ socketPath, path, headers, timeout: idleTimeoutMs, signal }, resolve);
  request.on('timeout', () => request.destroy(new Error(timedOut)));
  request.on('error', (cause) => {
    const isTimeout = cause.message === timedOut;
    const reason = `No response from ${socketPath}${isTimeout ? `: ${timedOut}` : ''}`;
    reject(new Unreachable(socketPath, reason, { cause, afterSending: isTimeout }));
  });
  request.end();
  const response = await promise;
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Unreachable(socketPath, `The daemon at ${socketPath} has no event stream; it may be another version`);
  }
  const first = Promise.withResolvers<void>();
  response.once('readable', first.resolve).once('close', first.resolve);
  await first.promise;
  return { messages: parseMessages(response), [Symbol.dispose]: () => void response.destroy() };
}

async function* parseMessages(response: IncomingMessage): AsyncGenerator<StreamMessage> {
  response.setEncoding('utf8');
  let rest = '';
  try {
    for await (const chunk of response as AsyncIterable<string>) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = Object.fromEntries(
          block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        const { id, event, data } = fields;
        if (id !== undefined && event !== undefined && data !== undefined) yield { id, event, data: JSON.parse(data) as unknown };
      }
    }
  } catch {
    // A lost connection ends the stream like a closed one; the caller reconnects.
  }
}
