import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunRequest, RunResult } from './runner.ts';

interface Settings {
  readonly workers: number;
  readonly stopsAtFirstFailure: boolean;
}

/** A process that runs tests (`runner.ts`). It is replaced when tests never end. */
export class TestProcess implements AsyncDisposable {
  readonly #settings: Settings;
  #child: ChildProcess | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  async run(request: RunRequest, limitMs: number): Promise<RunResult | 'hangs'> {
    const child = (this.#child ??= this.#start());
    const ended = new AbortController();
    child.send(request);
    try {
      const result = await Promise.race([
        once(child, 'message', ended).then(([message]) => message as RunResult),
        once(child, 'exit', ended).then(() => 'hangs' as const),
        wait(limitMs, 'hangs' as const, ended),
      ]);
      if (result === 'hangs') await this[Symbol.asyncDispose]();
      return result;
    } finally {
      ended.abort();
    }
  }

  /** Kills the process and everything the tests have started in it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await exit;
  }

  #start(): ChildProcess {
    const { workers, stopsAtFirstFailure } = this.#settings;
    const args = [String(workers), stopsAtFirstFailure ? '1' : '0'];
    // A process group of its own. Output of tests would hide the results.
    return fork(join(import.meta.dirname, 'runner.ts'), args, { detached: true, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  }
}
