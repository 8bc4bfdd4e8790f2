/** Runs a write of the admin API. With an idempotency key, a repetition gets the stored reply (A-3, D-22). */
import type { Request } from '@hapi/hapi';
import type { StoredReplies } from '../../api/admin/handler.ts';
import { type Operation, isIdempotent } from '../../contract/operation.ts';
import { type Reply, toReply } from '../response/reply.ts';
import type { RequestServices } from '../request-services.ts';
import { getReplyIds, lockIdempotencyKey, readOwnerIdempotencyKey, readStoredReply, storeReply, toReplay } from './idempotency.ts';

/** `run` calls the handler. `body` is the parsed body of the request. */
export async function runAdminOperation(
  service: RequestServices,
  op: Operation,
  request: Request,
  body: unknown,
  run: (replies: StoredReplies | undefined) => Promise<unknown>,
): Promise<Reply> {
  const key = isIdempotent(op) ? readOwnerIdempotencyKey(request, body) : undefined; // 400
  if (!key) return toReply(op, await run(undefined));
  const unlock = lockIdempotencyKey(service, '', key); // 409
  const replies: StoredReplies = {
    ids: getReplyIds(key),
    async find(tx, now) {
      const stored = await readStoredReply(tx, key);
      const replay = stored && toReplay(op, key, stored, now); // 409
      if (replay) throw new ReplayFound(replay);
    },
    store: (tx, result) => storeReply(tx, op, key, toReply(op, result)),
  };
  try {
    return toReply(op, await run(replies));
  } catch (thrown) {
    if (thrown instanceof ReplayFound) return thrown.reply;
    throw thrown;
  } finally {
    unlock();
  }
}

/** Ends a handler whose reply is stored. */
class ReplayFound extends Error {
  override readonly name = 'ReplayFound';
  readonly reply: Reply;
  constructor(reply: Reply) {
    super('the reply to this request is stored');
    this.reply = reply;
  }
}
