/** Ctrl-C during a long job: the first one lets the job finish and save or clean up, the second one exits immediately. */

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;
/** Exit code for SIGHUP, which is sent when the terminal window is closed. Jobs that `nohup` protects from it do not handle it. */
export const HANGUP = { SIGHUP: 129 } as const;

/** Within this time after the first signal, another one is its copy: npx forwards signals that the terminal has already sent. */
const COPY_MS = 500;

export interface Interrupt {
  readonly signal: AbortSignal;
  /** The exit code of the received signal; null if there was none. */
  readonly exit: number | null;
  release(): void;
}

export function watchInterrupts(onFirst: () => void = () => undefined, more: Readonly<Record<string, number>> = {}): Interrupt {
  const controller = new AbortController();
  let exit: number | null = null;
  let interruptedAt = 0;
  const handlers = Object.entries({ ...CODES, ...more }).map(([name, code]) => {
    const handle = () => {
      if (exit !== null) {
        if (performance.now() - interruptedAt < COPY_MS) return;
        process.exit(code);
      }
      exit = code;
      interruptedAt = performance.now();
      onFirst();
      controller.abort();
    };
    process.on(name, handle);
    return () => process.off(name, handle);
  });
  return {
    signal: controller.signal,
    get exit() {
      return exit;
    },
    release: () => handlers.forEach((off) => off()),
  };
}
