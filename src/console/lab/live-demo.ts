/** The live demo, which runs in this page until it is stopped or the page is closed. */
import { useSyncExternalStore } from 'react';
import { sharedClient } from '../api/client.ts';

interface LiveDemo {
  readonly isRunning: boolean;
  /** Newest first. */
  readonly lines: readonly string[];
  readonly problem?: unknown;
}

const LINES_SHOWN = 8;
let state: LiveDemo = { isRunning: false, lines: [] };
let controller = new AbortController();
const listeners = new Set<() => void>();
function setState(change: Partial<LiveDemo>): void {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

export const useLiveDemo = (): LiveDemo =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );

export async function startLiveDemo(perMinute: number): Promise<void> {
  controller = new AbortController();
  const { signal } = controller;
  state = { isRunning: true, lines: [] };
  setState({});
  try {
    const { runLiveDemo, formatEvent } = await import('../../cli/live-demo/run.ts');
    await runLiveDemo({
      client: sharedClient,
      perMinute,
      seed: Math.floor(Math.random() * 2 ** 32),
      signal,
      onEvent: async (event) =>
        Promise.resolve(setState({ lines: [formatEvent(event, new Date()), ...state.lines].slice(0, LINES_SHOWN) })),
    });
  } catch (error) {
    setState({ problem: error });
  }
  setState({ isRunning: false });
}

export const stopLiveDemo = (): void => controller.abort();
