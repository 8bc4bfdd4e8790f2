/** Requests to one daemon, each sent once: for tests that look at the rejections. */
import { randomUUID } from 'node:crypto';
import { type Dispatcher, request } from 'undici';

export interface DaemonReply {
  readonly status: number;
  /** The code of the error; undefined without one. */
  readonly code: string | undefined;
  readonly retryAfter: string | undefined;
  // Tests look into bodies of every shape; the assertions are the types.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface DaemonApi {
  /** A write has an idempotency key of its own unless one is given. */
  send(method: Dispatcher.HttpMethod, path: string, body?: object, idempotencyKey?: string): Promise<DaemonReply>;
  /** What `/readyz` answers: 200 or 503, and why. */
  checkReadiness(): Promise<{ readonly status: number; readonly reason: string | undefined }>;
}

/** `getUrl` returns the address of the moment: a daemon that is started again has another one. */
export function createDaemonApi(getUrl: () => string, key: string): DaemonApi {
  return {
    async send(method, path, body, idempotencyKey = randomUUID()) {
      const headers = {
        'x-api-key': key,
        'content-type': 'application/json',
        ...(method !== 'GET' && { 'idempotency-key': idempotencyKey }),
      };
      const reply = await request(getUrl() + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const answer = (await reply.body.json()) as { error?: { code: string } };
      return {
        status: reply.statusCode,
        code: answer.error?.code,
        retryAfter: reply.headers['retry-after'] as string | undefined,
        body: answer,
      };
    },
    async checkReadiness() {
      const { statusCode, body } = await request(`${getUrl()}/readyz`);
      return { status: statusCode, reason: ((await body.json()) as { reason?: string }).reason };
    },
  };
}
