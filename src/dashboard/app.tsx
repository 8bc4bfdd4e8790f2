/** The running dashboard: handles keys, renders frames, and ticks once a second. */
import { type Key, useApp, useInput, useIsScreenReaderEnabled, useStdout, useWindowSize } from 'ink';
import { type JSX, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { DataEffect } from './actions/effects.ts';
import { runEffect } from './actions/run-effect.ts';
import { type Size, getViewport } from './view/layout.ts';
import type { KeyPress } from './state/key-bindings.ts';
import { getOpenDetail, withUi } from './state/model.ts';
import { handleKey } from './actions/key-press.ts';
import type { Action } from './state/reduce.ts';
import { stopJob } from './terminal/job-control.ts';
import type { Handover } from './terminal/handover.ts';
import { type ColorCount, TONE_COLORS } from './view/colors.ts';
import { Screen, ScreenReaderView } from './view/screen.tsx';
import type { Source } from './sources/source.ts';
import type { Store } from './state/store.ts';
import { showsSeconds } from './state/shows-seconds.ts';
import { usePreview } from './use-preview.ts';

/** Countdowns are in seconds, as long as one is shown. */
const TICK_MS = 1_000;
const QUIET_TICKS = 10;

export interface AppProps {
  readonly store: Store;
  readonly source: Source;
  /** Environment of other programs. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly colors: ColorCount;
  readonly handover: Handover;
  /** Erases the screen and draws everything. */
  readonly redraw: () => Promise<void>;
  /** Counts the redraws: with another number everything is drawn. */
  readonly frame: number;
}

export function App({ store, source, env, cwd, colors, handover, redraw, frame }: AppProps): JSX.Element {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const { columns, rows } = useWindowSize();
  const size: Size = { columns, rows };
  const now = useSeconds(store);
  const { exit, suspendTerminal } = useApp();
  const { write } = useStdout();
  const isScreenReader = useIsScreenReaderEnabled();
  const context = useRef({
    source,
    env,
    cwd,
    state: store.get,
    write,
    handover,
    dispatch: store.dispatch,
  });

  const run = (effect: DataEffect): void => void runEffect(effect, context.current).catch(exit);
  useSource(source, store, exit, run);
  usePreview(store, now, size, run);
  // Detached in the same moment in which the screen is left.
  useLayoutEffect(() => handover.attach((work) => suspendTerminal(work)), [handover, suspendTerminal]);
  useInput((input, key) => {
    const before = store.get();
    for (const pressed of toKeyPresses(input, key)) {
      // Keys are for the program that is about to get the terminal.
      if (handover.isTaken()) {
        if (pressed.name === 'esc' || pressed.name === 'ctrl-c') handover.cancel();
        if (pressed.name !== 'ctrl-c') continue;
      }
      const { state: next, effect } = handleKey(store.get(), pressed, getViewport(store.get(), Date.now(), size));
      store.set(next);
      if (effect?.type === 'quit') exit();
      else if (effect?.type === 'redraw') void redraw().catch(exit);
      else if (effect?.type === 'stop') void stopJob(handover).catch(exit);
      else if (effect) run(effect);
    }
    // A key that changed something also dismisses the notice.
    if (before.ui.notice !== null && store.get().ui.notice === before.ui.notice && before !== store.get())
      store.set(withUi(store.get(), { notice: null }));
  });
  const View = isScreenReader ? ScreenReaderView : Screen;
  return <View key={frame} state={state} now={now} size={size} colors={TONE_COLORS[colors]} />;
}

/** The current time, updated every second while seconds are shown. */
function useSeconds(store: Store): number {
  const [, setDrawn] = useState(0);
  useEffect(() => {
    let ticks = 0;
    const timer = setInterval(() => {
      const at = Date.now();
      store.dispatch({ type: 'tick', at });
      ticks += 1;
      if (showsSeconds(store.get(), at) || ticks % QUIET_TICKS === 0) setDrawn(ticks);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [store]);
  return Date.now();
}

/** Runs the source while the screen is mounted. An open delivery is loaded again when it has changed. */
function useSource(source: Source, store: Store, exit: (error?: unknown) => void, run: (effect: DataEffect) => void): void {
  useEffect(() => {
    const controller = new AbortController();
    const dispatch = (action: Action): void => {
      store.dispatch(action);
      const open = getOpenDetail(store.get());
      const isChanged = action.type === 'updates' && action.updates.deliveries?.some(({ id }) => id === open?.row.id);
      if (open?.tab === 'deliveries' && isChanged) run({ type: 'load', tab: open.tab, row: open.row });
    };
    void source.run(dispatch, controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) exit(error);
    });
    return () => controller.abort();
    // The functions of the first frame do what those of the others do.
  }, [source, store]);
}

const SPECIAL = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
] as const satisfies readonly (readonly [keyof Key, string])[];

/** Keys that are single characters. */
const CONTROL: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u001b': 'esc',
  '\u007f': 'backspace',
  '\b': 'backspace',
};
/** Ctrl-A to Ctrl-Z are the code points from 1 to 26. */
const LETTER_COUNT = 26;
const LETTER_OFFSET = 96;

/** One key press per character: keys typed quickly arrive as one text. */
export function toKeyPresses(input: string, key: Key): readonly KeyPress[] {
  if (key.tab) return [{ name: key.shift ? 'shift-tab' : 'tab', text: null }];
  const special = SPECIAL.find(([flag]) => key[flag]);
  if (special) return [{ name: special[1], text: null }];
  if (key.ctrl) return [{ name: `ctrl-${input}`, text: null }];
  const presses = Array.from(input).map(toKeyPress);
  // No binding uses Alt: it is Escape, directly followed by another key.
  return key.meta ? [{ name: 'esc', text: null }, ...presses] : presses;
}

function toKeyPress(character: string): KeyPress {
  const name = CONTROL[character];
  if (name !== undefined) return { name, text: null };
  const code = character.codePointAt(0) ?? 0;
  if (code >= 1 && code <= LETTER_COUNT) return { name: `ctrl-${String.fromCodePoint(code + LETTER_OFFSET)}`, text: null };
  return { name: character, text: character };
}
