/** Runs the dashboard on this terminal until the user quits, or renders one frame. */
import { render, renderToString } from 'ink';
import { App, type AppProps } from './app.tsx';
import type { Size } from './view/list.ts';
import type { State } from './state/model.ts';
import { Screen } from './view/screen.tsx';

/** Messages are batched for longer than a frame, so more frames would show nothing new. */
const FRAMES_PER_SECOND = 20;

/** Resolves when the terminal is restored; rejects with the error that ended the dashboard, after restoring it. */
export async function runDashboard(props: AppProps): Promise<void> {
  const app = render(<App {...props} />, {
    alternateScreen: true,
    incrementalRendering: true,
    maxFps: FRAMES_PER_SECOND,
    // `q` and Ctrl-C are handled like other keys, so quitting works one way.
    exitOnCtrlC: false,
    patchConsole: false,
  });
  // A trace would be printed on the alternate screen, which is about to disappear.
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
export const renderOnce = (state: State, now: number, size: Size): string =>
  renderToString(<Screen state={state} now={now} size={size} />, { columns: size.columns })
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
