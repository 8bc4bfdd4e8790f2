/** Runs an operation of the admin API for an HTTP request, whose body was received. */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { AdminServices, StoredReplies, UntypedAdminHandler } from '../../api/admin/handler.ts';
import { adminHandlers } from '../../api/admin/index.ts';
import { withRollback } from '../../api/dry-run.ts';
import { type Operation, isIdempotent } from '../../contract/operation.ts';
import { type Reply, createResponse, toReply } from '../response/reply.ts';
import { onClose } from '../on-close.ts';
import type { OpenReplies } from '../open-replies.ts';
import type { RequestServices } from '../request-services.ts';
import {
  type IdempotencyKey,
  getReplyIds,
  lockIdempotencyKey,
  readOwnerIdempotencyKey,
  readStoredReply,
  storeReply,
  toReplay,
} from './idempotency.ts';
import { parseJsonBody } from './json-body.ts';
import { validateRequest } from './validate-request.ts';

export interface AdminRequestParts {
  readonly service: RequestServices;
  readonly services: AdminServices;
  /** Without it no reply stays open. */
  readonly openReplies?: OpenReplies;
}

export async function runAdminRequest(
  { service, services, openReplies }: AdminRequestParts,
  op: Operation,
  request: Request,
  h: ResponseToolkit,
): Promise<ResponseObject | symbol> {
  const handler = adminHandlers[op.id as keyof typeof adminHandlers] as UntypedAdminHandler;
  const { app, raw } = request;
  const body = op.body ? parseJsonBody(request, op.bodyMaxBytes) : undefined;
  const input = validateRequest(op, request, body);
  const afterReply = (work: () => void) => onClose(raw.res, work);
  const sending = { isKeptOpen: false };
  const keepOpen = () => void (sending.isKeptOpen = true);
  const run = async (replies: StoredReplies | undefined): Promise<Reply> =>
    toReply(op, await handler({ ...input, services, requestId: app.requestId, afterReply, keepOpen, replies }));
  const key = isIdempotent(op) ? readOwnerIdempotencyKey(request, body) : undefined; // 400
  const reply = key ? await runOnce(service, op, key, run) : await run(undefined);
  if (sending.isKeptOpen && openReplies) {
    openReplies.write(raw.res, reply);
    return h.abandon;
  }
  // No cache may store it: a reply may contain a secret that is shown once.
  return createResponse(h, reply).header('cache-control', 'no-store');
}

/** Runs the handler unless a reply to the key is stored, which is then returned (A-3, D-22). */
async function runOnce(
  service: RequestServices,
  op: Operation,
  key: IdempotencyKey,
  run: (replies: StoredReplies) => Promise<Reply>,
): Promise<Reply> {
  const unlock = lockIdempotencyKey(service, '', key); // 409
  try {
    return await withRollback<Reply>((rollBack) =>
      run({
        ids: getReplyIds(key),
        async find(tx, now) {
          const stored = await readStoredReply(tx, key);
          const replay = stored && toReplay(op, key, stored, now); // 409
          if (replay) rollBack(replay);
        },
        store: (tx, result) => storeReply(tx, op, key, toReply(op, result)),
      }),
    );
  } finally {
    unlock();
  }
}
