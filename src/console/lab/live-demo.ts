/** The live demo, which runs in this page until it is stopped or the page is closed. */
import { sharedClient } from '../api/client.ts';
import { createStore } from '../api/store.ts';

interface LiveDemo {
  readonly isRunning: boolean;
  /** Newest first. */
  readonly lines: readonly string[];
  readonly problem?: unknown;
}

const LINES_SHOWN = 8;
const demo = createStore<LiveDemo>({ isRunning: false, lines: [] });
let controller = new AbortController();

export const useLiveDemo = demo.use;

export async function startLiveDemo(perMinute: number): Promise<void> {
  controller = new AbortController();
  const { signal } = controller;
  demo.set({ isRunning: true, lines: [] });
  try {
    const { runLiveDemo, formatEvent } = await import('../../cli/live-demo/run.ts');
    await runLiveDemo({
      client: sharedClient,
      perMinute,
      seed: Math.floor(Math.random() * 2 ** 32),
      signal,
      onEvent: async (event) =>
        Promise.resolve(demo.set({ ...demo.get(), lines: [formatEvent(event, new Date()), ...demo.get().lines].slice(0, LINES_SHOWN) })),
    });
  } catch (error) {
    demo.set({ ...demo.get(), problem: error });
  }
  demo.set({ ...demo.get(), isRunning: false });
}

export const stopLiveDemo = (): void => controller.abort();
