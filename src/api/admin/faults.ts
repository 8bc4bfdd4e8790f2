/** Admin handlers of injected faults. */
import type { faultOperations } from '../../contract/admin/faults.ts';
import { FAULT_LATENCY_MAX_S } from '../../contract/limits.ts';
import { parseDuration } from '../../domain/tenancy/durations.ts';
import { invalidField } from '../../domain/kernel/errors.ts';
import type { AdminHandlers } from './handler.ts';

export const faultHandlers: AdminHandlers<typeof faultOperations> = {
  'faults.list': ({ services }) => Promise.resolve({ data: [...services.faults.list()] }),
  async 'faults.set'({ services, body }) {
    const { target, status = null, retryAfter = null, drop = null, rate, times = null } = body;
    const latencyMs = body.latency === undefined ? 0 : parseDuration(body.latency, '/latency');
    if (latencyMs > FAULT_LATENCY_MAX_S * 1_000)
      throw invalidField('/latency', `latency must be at most ${String(FAULT_LATENCY_MAX_S)}s`, 'too_big');
    const expiresAt =
      body.for === undefined ? null : new Date(services.clock.now().getTime() + parseDuration(body.for, '/for')).toISOString();
    const data = services.faults.set(target, { status, latencyMs, retryAfter, drop, rate, remaining: times, expiresAt });
    return Promise.resolve({ data });
  },
  'faults.clear': ({ services, body }) => Promise.resolve({ data: [...services.faults.clear(body.target)] }),
};
