/** What the servers need of the running daemon. */
import type { AdminParts } from '../api/admin/handler.ts';
import type { RequestServices } from './request-services.ts';

export type NotReadyReason = 'starting' | 'stopping' | 'store unavailable' | 'store read-only' | 'clock skew';

/** Returns why no requests should be sent, or undefined. Called often, so it only reads what is known. */
export type ReadinessCondition = () => NotReadyReason | undefined;

export interface Service extends RequestServices, AdminParts {
  readonly clock: AdminParts['clock'];
  /** When requests should be sent to this daemon. The store and the lifecycle add theirs. */
  readonly readinessConditions: readonly ReadinessCondition[];
}
