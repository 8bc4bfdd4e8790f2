/** A client of several daemons of one service: it repeats a request at the next daemon until one answers, as a caller behind a balancer does. */
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';

export interface FailoverReply {
  readonly status: number;
  // Tests look into bodies of every shape; the assertions are the types.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface FailoverClient extends AsyncDisposable {
  /** With a fresh idempotency key, which its repetitions share. `first` is the daemon to begin with. */
  send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, first?: number): Promise<FailoverReply>;
  /** Statuses and error codes that led to a repetition, with their numbers. */
  readonly repetitions: ReadonlyMap<string, number>;
}

const RETRY_INTERVAL_MS = 20;
const REQUEST_TIMEOUT_MS = 20_000;
let counter = 0;

/** `getUrls` returns the daemons of the moment, which may come and go. */
export function createFailoverClient(getUrls: () => readonly string[], key: string): FailoverClient {
  const dispatcher = new Agent({ headersTimeout: REQUEST_TIMEOUT_MS, bodyTimeout: REQUEST_TIMEOUT_MS });
  const repetitions = new Map<string, number>();
  /** Returns the code of the error when there is no reply. */
  const sendOnce = async (url: string, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, id: string, body?: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', ...(method === 'GET' ? {} : { 'idempotency-key': id }) };
    try {
      const reply = await request(url + path, { method, dispatcher, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await reply.body.text();
      return { status: reply.statusCode, body: text === '' ? undefined : (JSON.parse(text) as unknown) } satisfies FailoverReply;
    } catch (error) {
      return String((error as { code?: string }).code);
    }
  };
  return {
    repetitions,
    async send(method, path, body, first = 0) {
      const id = `failover-${String(process.pid)}-${String((counter += 1))}`;
      for (let attempt = first; ; attempt += 1) {
        const urls = getUrls();
        const reply = await sendOnce(urls[attempt % urls.length]!, method, path, id, body);
        if (typeof reply === 'object' && reply.status !== 503) return reply;
        const reason = typeof reply === 'object' ? `503 ${String((reply.body as { error?: { code?: string } }).error?.code)}` : reply;
        repetitions.set(reason, (repetitions.get(reason) ?? 0) + 1);
        await delay(RETRY_INTERVAL_MS);
      }
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
    },
  };
}
