import { chmodSync, cpSync } from 'node:fs';

/** Copies a data directory. The mode is not copied, and daemons refuse a directory that others can read. */
export function copyData(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  chmodSync(to, 0o700);
}
