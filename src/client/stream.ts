/** Reads server-sent events from the settings plane, message by message. */
import type { IncomingMessage } from 'node:http';
import { Unreachable } from './errors.ts';
import { SILENCE_MS } from './transport.ts';

export interface StreamMessage {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export interface OpenStream {
  /** Ends, without an error, when the connection does. */
  readonly messages: AsyncIterable<StreamMessage>;
  close(): void;
}

/**
 * Resolves when the daemon has begun to tell: from then on nothing is missed. One that hangs keeps its connections, so a stream on
 * which not even a heartbeat came for `silenceMs` has ended.
 */
export async function openStream(socketPath: string, path: string, lastId?: string, silenceMs: number = SILENCE_MS): Promise<OpenStream> {
  const http = process.getBuiltinModule('node:http');
  const headers = { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
  const silent = `no answer for ${String(silenceMs / 1000)} s`;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = http.request({ socketPath, path, headers, timeout: silenceMs }, resolve);
  request.on('timeout', () => request.destroy(new Error(silent)));
  request.on('error', (cause) => {
    const isSilent = cause.message === silent;
    const reason = `no answer from ${socketPath}${isSilent ? `: ${silent}` : ''}`;
    reject(new Unreachable(socketPath, reason, { cause, afterSending: isSilent }));
  });
  request.end();
  const response = await promise;
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Unreachable(socketPath, `the daemon at ${socketPath} has no stream of events: it may be of another version`);
  }
  const first = Promise.withResolvers<void>();
  response.once('readable', first.resolve).once('close', first.resolve);
  await first.promise;
  return { messages: messagesOf(response), close: () => response.destroy() };
}

async function* messagesOf(response: IncomingMessage): AsyncGenerator<StreamMessage> {
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
    // A connection that breaks ends the stream as one that is closed does: the caller comes back.
  }
}
