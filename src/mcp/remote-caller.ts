/** Runs operations over HTTP, for an MCP server in its own process. */
import { randomUUID } from 'node:crypto';
import type { Trace } from '../client/client.ts';
import { Unreachable } from '../client/errors.ts';
import { toRequest } from '../client/request.ts';
import type { HttpReply, HttpRequest, Transport } from '../client/transport/transport.ts';
import { API_KEY, IDEMPOTENCY_KEY } from '../contract/headers.ts';
import type { OperationReply, ToolCaller } from './call-tool.ts';

export interface RemoteTarget {
  readonly transport: Transport;
  readonly key: string | undefined;
  /** Called after every request. */
  readonly onTrace?: (trace: Trace) => void;
}

/** `findTarget` is called again after a request has failed, because the daemon may have been restarted since. */
export function createRemoteCaller(findTarget: () => Promise<RemoteTarget>, getHint: () => string): ToolCaller {
  let target: Promise<RemoteTarget> | undefined;
  const send = async (request: HttpRequest): Promise<HttpReply> => {
    const { transport, key, onTrace } = await (target ??= findTarget());
    const { method, path, headers } = request;
    const startedAt = performance.now();
    let status: number | null = null;
    try {
      const reply = await transport({ ...request, headers: { ...headers, ...(key === undefined ? {} : { [API_KEY]: key }) } });
      ({ status } = reply);
      return reply;
    } finally {
      onTrace?.({ method, path, status, milliseconds: performance.now() - startedAt, idempotencyKey: headers[IDEMPOTENCY_KEY] ?? null });
    }
  };
  return {
    // A client has a process of its own.
    previewSecret: randomUUID(),
    async runOperation(op, input, idempotencyKey) {
      const { method, path, body } = toRequest(op, input);
      const headers = {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY]: idempotencyKey }),
      };
      const request = { method, path, headers, ...(body === undefined ? {} : { body }) };
      try {
        return requireStockroomReply(
          await send(request).catch((error: unknown) => {
            const wasKnown = target !== undefined;
            target = undefined;
            if (wasKnown && error instanceof Unreachable && !error.afterSending) return send(request);
            throw error;
          }),
        );
      } catch (error) {
        target = undefined;
        return toErrorReply(error as Error & { code?: unknown }, getHint);
      }
    },
  };
}

function toErrorReply(error: Error & { code?: unknown }, getHint: () => string): OperationReply {
  if (!(error instanceof Unreachable))
    return buildErrorReply(typeof error.code === 'string' ? error.code : 'INTERNAL_ERROR', error.message, null);
  const retryHint = 'the request may have been processed; retry a change with the same idempotency_key';
  return buildErrorReply('UNREACHABLE', error.message, error.afterSending ? retryHint : getHint());
}

/** Replaces a reply that does not come from stockroom: any other server may run at the address. */
function requireStockroomReply({ status, text, headers }: HttpReply): OperationReply {
  const isStockroom = text === '' ? status === 204 : headers['content-type']?.startsWith('application/json') === true;
  if (isStockroom) return { status, text, headers };
  return buildErrorReply('NOT_STOCKROOM', `unexpected reply with status ${String(status)}, not from stockroom`, 'check the address');
}

function buildErrorReply(code: string, message: string, hint: string | null): OperationReply {
  return { status: 0, text: JSON.stringify({ error: { code, message, status: null, hint } }), headers: {} };
}
