import { urlToHttpOptions } from 'node:url';
import type { DaemonHealth } from '../../platform/daemon-state.ts';
import { sendRequest } from './send-request.ts';

export const HEALTH_CHECK_TIMEOUT_MS = 1_000;

/** The id of the daemon instance that answers `GET /healthz` at `url`; undefined when no daemon answers in time. */
export async function fetchInstanceId(url: string, timeoutMs = HEALTH_CHECK_TIMEOUT_MS): Promise<string | undefined> {
  const reply = await fetchJson(`${url}/healthz`, timeoutMs);
  return reply?.code === 200 && reply.status === 'ok' && typeof reply.instanceId === 'string' ? reply.instanceId : undefined;
}

/** What the daemon answers to `GET /readyz`. */
export async function fetchReadiness(url: string, timeoutMs = HEALTH_CHECK_TIMEOUT_MS): Promise<Pick<DaemonHealth, 'ready' | 'reason'>> {
  const reply = await fetchJson(`${url}/readyz`, timeoutMs);
  if (reply?.status === 'ready') return { ready: true, reason: null };
  if (reply?.status !== 'not ready') return { ready: null, reason: null };
  return { ready: false, reason: typeof reply.reason === 'string' ? reply.reason : null };
}

interface HealthReply {
  /** HTTP status. */
  readonly code: number | undefined;
  readonly status?: unknown;
  readonly reason?: unknown;
  readonly instanceId?: unknown;
}

async function fetchJson(url: string, timeoutMs: number): Promise<HealthReply | undefined> {
  const reply = await sendRequest(urlToHttpOptions(new URL(url)), timeoutMs);
  if (reply === undefined) return undefined;
  try {
    return { ...(JSON.parse(reply.text) as object | null), code: reply.status };
  } catch {
    return undefined;
  }
}
