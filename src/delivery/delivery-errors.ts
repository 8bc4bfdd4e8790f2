/** The results of failed attempts. */
import type { DeliveryError } from '../contract/resources/webhooks.ts';
import { TargetBlocked } from './target-guard.ts';

export function toStatusError(status: number): DeliveryError | null {
  if (status >= 200 && status <= 299) return null;
  if (status >= 300 && status <= 399) return 'redirect_not_followed';
  return status === 410 ? 'endpoint_gone' : `http_${status}`;
}

export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof TargetBlocked) return 'target_blocked';
  const codes = listErrorCodes(error);
  const hasAny = (...expected: readonly string[]): boolean => codes.some((code) => expected.includes(code));
  if (hasAny('ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES')) return 'connection_refused';
  if (hasAny('ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA')) return 'dns_not_found';
  if (hasAny('UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT')) return 'timeout';
  if (hasAny('UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW')) return 'response_too_large';
  if (codes.some((code) => TLS_ERROR_CODE.test(code))) return 'tls_error';
  return 'connection_reset';
}

const TLS_ERROR_CODE = /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/u;

/** The codes of an error, of its causes and of the errors it aggregates. */
function listErrorCodes(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code, cause } = error as NodeJS.ErrnoException;
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [...(typeof code === 'string' ? [code] : []), ...[cause, ...inner].flatMap(listErrorCodes)];
}
