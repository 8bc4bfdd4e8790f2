/** Against DNS rebinding and foreign pages: Host and Origin must name this service. decisions-api §5. */
import { StockroomError } from '../domain/errors.ts';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** `bound` is the address the server listens on. An address other than loopback is reachable by any name, so only Origin is compared there. */
export function checkHost(bound: string, host: string | undefined, origin: string | undefined): void {
  const name = host?.replace(/:\d+$/u, '').toLowerCase();
  const isLoopback = LOOPBACK.includes(bound) || bound === '::1';
  if (isLoopback && (name === undefined || !LOOPBACK.includes(name))) {
    throw new StockroomError(
      'ORIGIN_NOT_ALLOWED',
      `The Host header names ${host ?? 'nothing'}, not this service; call it as 127.0.0.1 or localhost.`,
    );
  }
  if (origin === undefined) return;
  if (origin !== `http://${host ?? ''}` && origin !== `https://${host ?? ''}`) {
    throw new StockroomError('ORIGIN_NOT_ALLOWED', `Pages of ${origin} may not call this service.`);
  }
}
