import { WEBHOOK_TEST_TIMEOUT_S } from '../../contract/limits.ts';
import { SAFETY_POLL_MS } from '../../delivery/engine.ts';
import { OUTCOME_RETRY_MS } from '../../delivery/outcome-writer.ts';
import { IDLE_CONNECTION_TIMEOUT_MS, REQUEST_HEADER_TIMEOUT_MS } from '../../http/listener.ts';
import type { RequestTimeouts } from '../../http/request-services.ts';
import { REQUEST_BODY_TIMEOUT_MS } from '../../http/steps/receive-body.ts';

/** How long a service waits, in milliseconds. No settings of the product: only tests use other values than the defaults. */
export interface ServiceTimeouts extends RequestTimeouts {
  /** For deliveries in progress when the service stops. */
  readonly drainMs: number;
  /** For the answer to a connectivity check of a webhook endpoint. */
  readonly endpointCheckMs: number;
  /** Before delivery outcomes that could not be stored are stored again. */
  readonly outcomeRetryMs: number;
  /** Between two polls of the deliveries of all endpoints without a reason. */
  readonly safetyPollMs: number;
}

export const DEFAULT_TIMEOUTS: ServiceTimeouts = {
  requestBodyMs: REQUEST_BODY_TIMEOUT_MS,
  requestHeaderMs: REQUEST_HEADER_TIMEOUT_MS,
  idleConnectionMs: IDLE_CONNECTION_TIMEOUT_MS,
  drainMs: 5_000,
  endpointCheckMs: WEBHOOK_TEST_TIMEOUT_S * 1_000,
  outcomeRetryMs: OUTCOME_RETRY_MS,
  safetyPollMs: SAFETY_POLL_MS,
};
