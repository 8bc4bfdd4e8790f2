import { urlToHttpOptions } from 'node:url';
import { sendRequest } from './send-request.ts';

export const HEALTH_CHECK_TIMEOUT_MS = 1_000;

/** The id of the daemon instance that answers `GET /healthz` at `url`; undefined when no daemon answers in time. */
export async function fetchInstanceId(url: string, timeoutMs = HEALTH_CHECK_TIMEOUT_MS): Promise<string | undefined> {
  const reply = await sendRequest(urlToHttpOptions(new URL(`${url}/healthz`)), timeoutMs);
  if (reply?.status !== 200) return undefined;
  try {
    const body = JSON.parse(reply.text) as { status?: unknown; instanceId?: unknown } | null;
    return body?.status === 'ok' && typeof body.instanceId === 'string' ? body.instanceId : undefined;
  } catch {
    return undefined;
  }
}
