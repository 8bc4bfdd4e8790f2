/** Parameters that a command adds by itself: a service without the extensions of stockroom does not have them, and the command works without. */
import { isUnsupported } from '../../client/errors.ts';
import { getApiError } from '../errors/explained-error.ts';
import type { ReadParts } from './request.ts';

/** Sends a request, and once more without these parameters if the service does not have them. */
export async function sendWithOptional<T>(parts: ReadParts, names: readonly string[], send: (parts: ReadParts) => Promise<T>): Promise<T> {
  try {
    return await send(parts);
  } catch (error) {
    if (!isUnsupported(getApiError(error), names)) throw error;
    return send({ ...parts, query: Object.fromEntries(Object.entries(parts.query).filter(([name]) => !names.includes(name))) });
  }
}
