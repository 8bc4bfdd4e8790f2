/** Ctrl-C during a long job: the first lets what was sent be settled and saved, the second ends at once. */

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export interface Interrupt {
  readonly signal: AbortSignal;
  /** The exit code of the signal that came; null: none. */
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
