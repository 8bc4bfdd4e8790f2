import { replaceFile } from '../../platform/own-files.ts';

/** Replaces a file with `content` as JSON, atomically: readers see the old or the new content. */
export function replaceJsonFile(path: string, content: unknown): void {
  replaceFile(path, `${JSON.stringify(content, null, 2)}\n`);
}
