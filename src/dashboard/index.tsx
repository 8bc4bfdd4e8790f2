/** Runs the dashboard on this terminal until the user quits, or renders one frame. */
import { render, renderToString } from 'ink';
import { App, type AppProps } from './app.tsx';
import { TONE_COLORS } from './view/colors.ts';
import { toAscii, toAsciiStream } from './view/ascii.ts';
import type { Size } from './view/layout.ts';
import type { State } from './state/model.ts';
import { Handover } from './terminal/handover.ts';
import { watchJobControl } from './terminal/job-control.ts';
import { Screen } from './view/screen.tsx';

/** Messages are batched for longer than a frame, so more frames would show nothing new. */
const FRAMES_PER_SECOND = 20;
const ERASE_SCREEN = '\u001b[H\u001b[J';
/** What was typed before the terminal stopped to echo it. */
const ERASE_ECHO = '\r\u001b[K';

export interface DashboardProps extends Omit<AppProps, 'handover' | 'redraw' | 'frame'> {
  /** Draws with characters of ASCII only. */
  readonly isAscii: boolean;
}

/** Resolves when the terminal is restored; rejects with the error that ended the dashboard, after restoring it. */
export async function runDashboard({ isAscii, ...props }: DashboardProps): Promise<void> {
  const handover = new Handover();
  let drawn = 0;
  // Ink draws what has changed since the last frame, which is wrong after the terminal has changed the screen itself.
  const redraw = async (): Promise<void> => {
    // Frames of a former size may still wait.
    await app.waitUntilRenderFlush();
    if (!handover.hasScreen()) return;
    app.clear();
    process.stdout.write(ERASE_SCREEN);
    drawn += 1;
    app.rerender(renderApp());
  };
  const renderApp = () => <App {...props} handover={handover} redraw={redraw} frame={drawn} />;
  // Before the first frame, in which an echo would be seen. The keys are handled once it is drawn.
  process.stdin.setRawMode(true);
  process.stdout.write(ERASE_ECHO);
  const app = render(renderApp(), {
    stdout: isAscii ? toAsciiStream(process.stdout) : process.stdout,
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
    void handover.end().finally(app.unmount);
  };
  // Not the event of stdout, which a size that has changed there and back does not cause.
  const onResize = (): void => void redraw().catch(crashed);
  process.on('SIGWINCH', onResize);
  const unwatch = watchJobControl(handover, crashed);
  process.on('uncaughtException', crashed);
  process.on('unhandledRejection', crashed);
  try {
    await app.waitUntilExit();
    if (failure) throw failure;
  } finally {
    process.off('SIGWINCH', onResize);
    unwatch();
    // The source may have failed while a pager was open.
    await handover.end();
    process.off('uncaughtException', crashed);
    process.off('unhandledRejection', crashed);
  }
}

/** One frame as text. */
export function renderOnce(state: State, now: number, size: Size, { colors, isAscii }: Pick<DashboardProps, 'colors' | 'isAscii'>): string {
  const frame = renderToString(<Screen state={state} now={now} size={size} colors={TONE_COLORS[colors]} />, { columns: size.columns });
  return isAscii ? toAscii(frame) : frame;
}
