/** Whether a load balancer should send requests to this daemon: `GET /readyz`. `/healthz` only says that the process runs. */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { READY_PATH } from './health-path.ts';
import { JSON_TYPE } from './response/reply.ts';
import type { NotReadyReason, ReadinessCondition, Service } from './service.ts';

/** The reason of the first condition that is not met; undefined if the daemon is ready. */
export function findNotReadyReason(conditions: readonly ReadinessCondition[]): NotReadyReason | undefined {
  for (const getReason of conditions) {
    const reason = getReason();
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Needs no key, and answers during a shutdown, too. */
export const readinessRoute = ({ readinessConditions, version, instanceId }: Service) => ({
  method: 'GET' as const,
  path: READY_PATH,
  handler: (_request: Request, h: ResponseToolkit): ResponseObject => {
    const reason = findNotReadyReason(readinessConditions);
    const state = reason === undefined ? { status: 'ready' } : { status: 'not ready', reason };
    return h
      .response({ ...state, version, instanceId })
      .type(JSON_TYPE)
      .code(reason === undefined ? 200 : 503);
  },
});
