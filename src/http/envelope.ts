/** The one form of every error reply. decisions-api §2. */
import type { ErrorEnvelope } from '../contract/envelope.ts';
import { StockroomError } from '../domain/errors.ts';
import { StoreUnavailable } from '../domain/ports.ts';

const RETRY_AFTER_S = '5';

/** What the caller is told about anything thrown; a bug tells nothing but the request id. */
export function toStockroomError(thrown: unknown): StockroomError {
  if (thrown instanceof StockroomError) return thrown;
  if (thrown instanceof StoreUnavailable) {
    return new StockroomError('STORE_UNAVAILABLE', `${thrown.message} Nothing of the request was kept; try again.`, {
      cause: thrown,
      headers: { 'retry-after': RETRY_AFTER_S },
    });
  }
  return new StockroomError('INTERNAL_ERROR', 'Something went wrong inside the service; its log has the details under this request id.', {
    cause: thrown,
  });
}

export const unavailable = (): StockroomError =>
  new StockroomError('UNAVAILABLE', 'The service is shutting down.', { headers: { 'retry-after': RETRY_AFTER_S } });

export function envelope(error: StockroomError, requestId: string): ErrorEnvelope {
  const { code, message, status, fields, details } = error;
  return {
    error: {
      code,
      message,
      status,
      requestId,
      ...(fields ? { fields } : {}),
      ...(details && Object.keys(details).length > 0 ? { details } : {}),
    },
  };
}
