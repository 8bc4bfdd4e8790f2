/** Ctrl-C during a long job: the first one finishes and saves pending requests, the second one exits immediately. */

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export interface Interrupt {
  readonly signal: AbortSignal;
  /** The exit code of the received signal; null if there was none. */
  readonly exit: number | null;
  release(): void;
}

export function watchInterrupts(onFirst: () => void = () => undefined): Interrupt {
  const controller = new AbortController();
  let exit: number | null = null;
  const handlers = Object.entries(CODES).map(([name, code]) => {
    const handle = () => {
      if (exit !== null) process.exit(code);
      exit = code;
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
