import { renameSync, writeFileSync } from 'node:fs';

const PRIVATE_FILE_MODE = 0o600;

/** Replaces a file with `content` as JSON, atomically: readers see the old or the new content. */
export function replaceJsonFile(path: string, content: unknown): void {
  const draft = `${path}.${String(process.pid)}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: PRIVATE_FILE_MODE });
  renameSync(draft, path);
}
