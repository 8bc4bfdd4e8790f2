import type { faultOperations } from '../../contract/admin/faults.ts';
import { FAULT_LATENCY_MAX_S } from '../../contract/limits.ts';
import { milliseconds } from '../../domain/durations.ts';
import { invalidField } from '../../domain/errors.ts';
import type { AdminHandlers } from './call.ts';

export const faultHandlers: AdminHandlers<typeof faultOperations> = {
  'faults.list': ({ plane }) => Promise.resolve({ data: [...plane.faults.list()] }),
  async 'faults.set'({ plane, body }) {
    const { target, status = null, retryAfter = null, drop = null, rate, times = null } = body;
    const latencyMs = body.latency === undefined ? 0 : milliseconds(body.latency, '/latency');
    if (latencyMs > FAULT_LATENCY_MAX_S * 1_000)
      throw invalidField('/latency', `latency must be at most ${String(FAULT_LATENCY_MAX_S)}s`, 'too_big');
    const expiresAt = body.for === undefined ? null : new Date(plane.clock.now().getTime() + milliseconds(body.for, '/for')).toISOString();
    const data = plane.faults.set(target, { status, latencyMs, retryAfter, drop, rate, remaining: times, expiresAt });
    return Promise.resolve({ data });
  },
  'faults.clear': ({ plane, body }) => Promise.resolve({ data: [...plane.faults.clear(body.target)] }),
};
