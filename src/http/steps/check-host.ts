/** Protects against DNS rebinding and requests from other websites: Host and Origin must name this service. A-5. */
import type { Request } from '@hapi/hapi';
import { StockroomError } from '../../domain/kernel/errors.ts';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** `boundHost` is the address that the server listens on. Other than a loopback address it can have any name, so only Origin is checked there. */
export function checkHost({ headers }: Request, { host: boundHost }: { readonly host: string }): undefined {
  const { host, origin } = headers as Readonly<Record<string, string | undefined>>;
  const name = host?.replace(/:\d+$/u, '').toLowerCase();
  const isLoopback = LOOPBACK.includes(boundHost) || boundHost === '::1';
  if (isLoopback && (name === undefined || !LOOPBACK.includes(name))) {
    throw new StockroomError('ORIGIN_NOT_ALLOWED', `Invalid Host header "${host ?? ''}". Use 127.0.0.1 or localhost.`);
  }
  if (origin === undefined) return;
  if (origin !== `http://${host ?? ''}` && origin !== `https://${host ?? ''}`) {
    throw new StockroomError('ORIGIN_NOT_ALLOWED', `Requests from the origin ${origin} are not allowed.`);
  }
}
