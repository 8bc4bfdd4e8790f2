/** Runs an operation of the admin API for an HTTP request, whose body was received. */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { AdminServices, UntypedAdminHandler } from '../../api/admin/handler.ts';
import { adminHandlers } from '../../api/admin/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { createResponse } from '../response/reply.ts';
import { onClose } from '../on-close.ts';
import type { OpenReplies } from '../open-replies.ts';
import type { RequestServices } from '../request-services.ts';
import { parseJsonBody } from './json-body.ts';
import { runAdminOperation } from './run-admin-operation.ts';
import { validateRequest } from './validate-request.ts';

interface AdminParts {
  readonly service: RequestServices;
  readonly services: AdminServices;
  /** Without it no reply stays open. */
  readonly openReplies?: OpenReplies;
}

export async function runAdminRequest(
  { service, services, openReplies }: AdminParts,
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
  const reply = await runAdminOperation(service, op, request, body, (replies) =>
    handler({ ...input, services, requestId: app.requestId, afterReply, keepOpen, replies }),
  );
  if (sending.isKeptOpen && openReplies) {
    openReplies.write(raw.res, reply);
    return h.abandon;
  }
  // No cache may store it: a reply may contain a secret that is shown once.
  return createResponse(h, reply).header('cache-control', 'no-store');
}
