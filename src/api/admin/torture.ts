/** Admin handler of the results of torture, which the command writes into the data directory. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TORTURE_FILE, type TortureResult, type tortureOperations } from '../../contract/admin/torture.ts';
import type { AdminHandlers } from './handler.ts';

export const tortureHandlers: AdminHandlers<typeof tortureOperations> = {
  async 'daemon.torture'({ services }) {
    const { dataDir } = services.daemon;
    return { data: dataDir === null ? [] : await readResults(join(dataDir, TORTURE_FILE)) };
  },
};

/** A file that is missing or damaged has no results. */
async function readResults(path: string): Promise<TortureResult[]> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as TortureResult[];
  } catch {
    return [];
  }
}
