/** Rejects requests on more connections than the service accepts. */
import type { Request } from '@hapi/hapi';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { Listener } from '../listener.ts';

const RETRY_AFTER_S = '1';

export interface ConnectionContext {
  readonly listener: Listener;
}

export function limitConnections({ raw }: Request, { listener }: ConnectionContext): undefined {
  if (!listener.isExcess(raw.req.socket)) return;
  throw new StockroomError('UNAVAILABLE', 'The service has too many open connections. Close idle ones and try again.', {
    headers: { connection: 'close', 'retry-after': RETRY_AFTER_S },
  });
}
