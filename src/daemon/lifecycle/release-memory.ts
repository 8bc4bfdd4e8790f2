/**
 * Returns memory to the system when the daemon is idle after much work, such as its start or an import. V8 keeps the garbage of that work
 * until new objects need the space, which may be never. Without this (2026-11-25), a daemon with demo data has 132 MB instead of 116 (the
 * target is 110 MB), one that has generated 100,000 items 791 MB (the target is 700 MB).
 *
 * The collection pauses the daemon for 35 to 100 ms, therefore only when it has been idle for some time.
 */
const CHECK_MS = 5_000;
/** A daemon that used this much processor time or less since the last check is idle. */
const MAX_IDLE_CPU_MS = 50;
/** Less work than this leaves too little garbage to be worth a collection. */
const MIN_WORK_CPU_MS = 1_000;

const getCpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** A start that used more, because it replayed much of the journal, leaves more garbage than 100,000 items are large. */
const LONG_START_CPU_MS = 3_000;

/**
 * After a long start, returns the memory of its garbage before the daemon is ready: it adds 0.1 s to many. Later, the search indexes that are
 * built after the start would come on top (2026-11-25: 850 MB after a replay of 100,000 items; the target is 700 MB).
 */
export async function releaseMemoryOfStart(startCpuMs = getCpuMs()): Promise<void> {
  if (startCpuMs < LONG_START_CPU_MS) return;
  await collectGarbage().catch(() => undefined);
}

/** Starts to watch the use of the processor, and returns the function that ends it. */
export function releaseMemoryWhenIdle(checkMs = CHECK_MS): () => void {
  let last = getCpuMs();
  // The start always leaves garbage.
  let workMs = MIN_WORK_CPU_MS;
  const timer = setInterval(() => {
    const now = getCpuMs();
    const usedMs = now - last;
    last = now;
    workMs += usedMs;
    if (usedMs > MAX_IDLE_CPU_MS || workMs < MIN_WORK_CPU_MS) return;
    workMs = 0;
    // The collector belongs to the debugger's tools. Without it, the daemon only uses more memory.
    collectGarbage().catch(() => undefined);
  }, checkMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

/** Collects all garbage and frees the pages it was on, as V8 does when the system reports low memory. */
async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
