/** The data directory of a running daemon, which may be deleted or replaced meanwhile. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DaemonState } from '../../platform/daemon-state.ts';
import type { DaemonConfig } from '../config.ts';
import { recordLostDaemon } from '../control/lost-daemons.ts';
import { isLockFileInPlace } from '../data-directory/lock.ts';
import { registerDataDirectory, unregisterDataDirectory } from '../data-directory/registry.ts';
import { removeStateFile, writeStateFile } from '../data-directory/state-file.ts';
import { attempt } from './attempt.ts';
import type { DaemonEnvironment } from './daemon-environment.ts';

const REMOVAL_RETRIES = 5;

export class DaemonDirectory {
  readonly #config: Pick<DaemonConfig, 'dataDir' | 'ephemeral'>;
  readonly #environment: DaemonEnvironment;
  #findLoss: () => Promise<string | undefined> = async () => Promise.resolve(undefined);
  #state: DaemonState | undefined;
  #isLost = false;

  constructor(config: Pick<DaemonConfig, 'dataDir' | 'ephemeral'>, environment: DaemonEnvironment) {
    this.#config = config;
    this.#environment = environment;
  }

  /** Whether it was deleted or replaced after the state file was written. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** From now on `findLoss` returns a reason when the directory was deleted or replaced. */
  watch(findLoss: () => Promise<string | undefined>): void {
    this.#findLoss = findLoss;
  }

  /** Runs work on the files, unless the directory was deleted or replaced: then they may be those of another daemon. */
  async runIfOwned(work: () => unknown): Promise<void> {
    if ((await this.#findLoss()) === undefined) await work();
  }

  writeState(state: DaemonState): void {
    this.#state = state;
    writeStateFile(state);
  }

  /** A restart continues with the same offset of the test clock. */
  saveClockOffset(clockOffsetSeconds: number): void {
    const state = this.#state;
    if (state === undefined || !isLockFileInPlace(this.#environment.lock)) return;
    writeStateFile({ ...state, options: { ...state.options, clockOffsetSeconds } });
  }

  register(): void {
    const { dataDir } = this.#config;
    const { env, log } = this.#environment;
    attempt(log, 'could not register this daemon; `stockroom daemon list` will not show it', () => registerDataDirectory(env, dataDir));
  }

  recordLoss(reason: string): void {
    if (this.#state === undefined) return;
    const { dataDir } = this.#config;
    const { env, log } = this.#environment;
    const { pid, processIdentity, url, instanceId } = this.#state;
    // Its state file may be gone.
    attempt(log, 'could not record the loss of the data directory; `stockroom daemon status` will not show it', () =>
      recordLostDaemon(env, { dataDir, pid, processIdentity, url, instanceId, reason }),
    );
    this.#isLost = true;
  }

  /** Removes the state file, and the whole directory of an ephemeral daemon or of a first start that failed. */
  cleanUp(): void {
    const { dataDir, ephemeral } = this.#config;
    const { lock, env } = this.#environment;
    const isUnused = lock.isNewDirectory === true && this.#state === undefined;
    removeStateFile(dataDir);
    if (!ephemeral && !isUnused) return;
    unregisterDataDirectory(env, dataDir);
    lock.release();
    // Windows keeps the working directory of a process, and files that a virus scanner is reading.
    if (process.platform === 'win32' && process.cwd() === dataDir) process.chdir(dirname(dataDir));
    rmSync(dataDir, { recursive: true, force: true, maxRetries: REMOVAL_RETRIES });
  }
}
