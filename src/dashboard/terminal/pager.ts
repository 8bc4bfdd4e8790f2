/** Shows a text in $PAGER. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program that ignores SIGTERM for this long is killed. */
const KILL_AFTER_MS = 1_000;

/** Resolves when the pager has ended, with the reason if it has failed; its file is removed then. Ends it when `signal` is aborted. */
export async function showInPager(text: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'stockroom-'));
  const removeNow = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeNow);
  try {
    const path = join(folder, 'body.json');
    await writeFile(path, `${text}\n`, { mode: 0o600 });
    const isWindows = process.platform === 'win32';
    const pager = env['PAGER'] || (isWindows ? 'more' : 'less');
    // In place of the shell, so that signals reach the pager; env, because a command line may start with variables.
    const commandLine = `${isWindows ? '' : 'exec env '}${pager} "${path}"`;
    const problem = signal.aborted ? null : await runProgram(commandLine, env, signal);
    return problem === null ? null : `Pager "${pager}" ${problem}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
    process.off('exit', removeNow);
  }
}

/** Runs a command line of the shell in the terminal. Resolves with why it failed, or null. */
async function runProgram(commandLine: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string | null> {
  const child = spawn(commandLine, { shell: true, stdio: 'inherit', env });
  let killing: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill('SIGTERM');
    killing = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code === 0 || code === null || signal.aborted ? null : `exited with ${String(code)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    signal.removeEventListener('abort', end);
    clearTimeout(killing);
  }
}
