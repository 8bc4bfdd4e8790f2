/** Ids that are the same in every run and on every machine. */
import { createHash } from 'node:crypto';

/** The UUID of version 8 (RFC 9562: custom content) derived from a name. */
export function deriveId(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
