/** The format of every error response. A-2. */
import type { ErrorEnvelope } from '../../contract/error-envelope.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { StoreUnavailable } from '../../domain/kernel/ports.ts';

const RETRY_AFTER_S = '5';

/** The error that a client sees for anything thrown. Of a bug it sees only the request id. */
export function toStockroomError(thrown: unknown): StockroomError {
  if (thrown instanceof StockroomError) return thrown;
  if (thrown instanceof StoreUnavailable) {
    return new StockroomError('STORE_UNAVAILABLE', `${thrown.message.replace(/\.?$/u, '.')} The request had no effect; try again.`, {
      cause: thrown,
      headers: { 'retry-after': RETRY_AFTER_S },
    });
  }
  return new StockroomError('INTERNAL_ERROR', 'Internal error. The daemon log has the details under this request id.', {
    cause: thrown,
  });
}

export const createShutdownError = (): StockroomError =>
  new StockroomError('UNAVAILABLE', 'The service is shutting down.', { headers: { 'retry-after': RETRY_AFTER_S } });

export function toErrorEnvelope(error: StockroomError, requestId: string): ErrorEnvelope {
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
