/** Performs operations over HTTP with one key, for a tool server that is a process of its own. */
import type { Trace } from '../client/client.ts';
import { Unreachable } from '../client/errors.ts';
import { requestOf } from '../client/request.ts';
import type { HttpReply, HttpRequest, Transport } from '../client/transport.ts';
import { API_KEY, IDEMPOTENCY_KEY } from '../contract/headers.ts';
import type { Answer, Caller } from './call.ts';

export interface Reach {
  readonly transport: Transport;
  readonly key: string | undefined;
  /** Hears of every request. */
  readonly onTrace?: (trace: Trace) => void;
}

/** `reach` is asked again when nobody answers at the old place: the daemon may have been started since. */
export function remoteCaller(reach: () => Promise<Reach>, hint: () => string): Caller {
  let current: Promise<Reach> | undefined;
  const send = async (request: HttpRequest): Promise<HttpReply> => {
    const { transport, key, onTrace } = await (current ??= reach());
    const { method, path, headers } = request;
    const started = performance.now();
    let status: number | null = null;
    try {
      const reply = await transport({ ...request, headers: { ...headers, ...(key === undefined ? {} : { [API_KEY]: key }) } });
      ({ status } = reply);
      return reply;
    } finally {
      onTrace?.({ method, path, status, milliseconds: performance.now() - started, idempotencyKey: headers[IDEMPOTENCY_KEY] ?? null });
    }
  };
  return {
    async perform(op, parts, idempotencyKey) {
      const { method, path, body } = requestOf(op, parts);
      const headers = {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY]: idempotencyKey }),
      };
      const request = { method, path, headers, ...(body === undefined ? {} : { body }) };
      try {
        return checked(
          await send(request).catch((error: unknown) => {
            const isKnown = current !== undefined;
            current = undefined;
            if (isKnown && error instanceof Unreachable && !error.afterSending) return send(request);
            throw error;
          }),
        );
      } catch (error) {
        current = undefined;
        return failed(error as Error & { code?: unknown }, hint);
      }
    },
  };
}

function failed(error: Error & { code?: unknown }, hint: () => string): Answer {
  if (!(error instanceof Unreachable)) return failure(typeof error.code === 'string' ? error.code : 'internal', error.message, null);
  const repeat = 'it may have been carried out: a change may be repeated with the same idempotency_key';
  return failure('unreachable', error.message, error.afterSending ? repeat : hint());
}

/** Whatever stands at an address answers something. */
function checked({ status, text, headers }: HttpReply): Answer {
  const isOurs = text === '' ? status === 204 : headers['content-type']?.startsWith('application/json') === true;
  if (isOurs) return { status, text, headers };
  return failure('not_stockroom', `the answer was ${String(status)} without anything that stockroom would say`, 'check the address');
}

function failure(code: string, message: string, hint: string | null): Answer {
  return { status: 0, text: JSON.stringify({ error: { code, message, status: null, hint } }), headers: {} };
}
