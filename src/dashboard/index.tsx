/** Runs the dashboard on this terminal until its reader leaves, or draws it once. */
import { render, renderToString } from 'ink';
import { App, type AppProps } from './app.tsx';
import type { Size } from './frame.ts';
import type { State } from './model.ts';
import { Screen } from './screen.tsx';

/** More frames cost more and show no more: messages are gathered for longer than this lets pass. */
const FRAMES_PER_SECOND = 20;

/** Resolves when the screen is the reader's again; rejects with what went wrong, and then it is theirs, too. */
export async function runDashboard(props: AppProps): Promise<void> {
  const app = render(<App {...props} />, {
    alternateScreen: true,
    incrementalRendering: true,
    maxFps: FRAMES_PER_SECOND,
    // `q` and Ctrl-C are keys among others, so that leaving is always the same.
    exitOnCtrlC: false,
    patchConsole: false,
  });
  // Its trace would be printed on the screen that is about to disappear.
  let failure: Error | undefined;
  const crashed = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
    app.unmount();
  };
  process.on('uncaughtException', crashed);
  process.on('unhandledRejection', crashed);
  try {
    await app.waitUntilExit();
    if (failure) throw failure;
  } finally {
    process.off('uncaughtException', crashed);
    process.off('unhandledRejection', crashed);
  }
}

/** One frame as text. */
export const drawOnce = (state: State, now: number, size: Size): string =>
  renderToString(<Screen state={state} now={now} size={size} />, { columns: size.columns })
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
