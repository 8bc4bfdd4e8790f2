/** The dashboard while it runs: keys in, frames out, and a clock for what counts down. */
import { type Key, useApp, useInput, useIsScreenReaderEnabled, useStdout, useWindowSize } from 'ink';
import { type JSX, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { setImmediate } from 'node:timers/promises';
import { act } from './act.ts';
import { type Size, sightOf } from './frame.ts';
import type { Press } from './keys.ts';
import type { AnyRow, State, Tab } from './model.ts';
import { press } from './press.ts';
import { type Action, reduce } from './reduce.ts';
import { Screen, Spoken } from './screen.tsx';
import type { Source } from './source.ts';
import type { Store } from './store.ts';

/** Countdowns are in seconds. */
const TICK_MS = 1_000;

export interface AppProps {
  readonly store: Store;
  readonly source: Source;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export function App({ store, source, env, cwd }: AppProps): JSX.Element {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const { columns, rows } = useWindowSize();
  const size: Size = { columns, rows };
  const now = useSeconds(store);
  const { exit, suspendTerminal } = useApp();
  const { write } = useStdout();
  const isSpoken = useIsScreenReaderEnabled();
  const outside = useRef({
    source,
    env,
    cwd,
    state: store.get,
    write,
    lend: (work: () => Promise<void>) => suspendTerminal(() => withoutReading(work)),
    tell: (action: Action) => store.set(reduce(store.get(), action)),
  });

  useSource(source, store, exit, (open) => void act({ type: 'load', tab: open.tab, row: open.row }, outside.current).catch(exit));
  useInput((input, key) => {
    const before = store.get();
    for (const pressed of pressesOf(input, key)) {
      const { state: next, effect } = press(store.get(), pressed, sightOf(store.get(), Date.now(), size));
      store.set(next);
      if (effect?.type === 'quit') exit();
      else if (effect) void act(effect, outside.current).catch(exit);
    }
    // Nothing else would clear a notice that was answered by a key.
    if (before.ui.notice !== null && store.get().ui.notice === before.ui.notice && before !== store.get()) clearNotice(store);
  });
  return isSpoken ? <Spoken state={state} now={now} size={size} /> : <Screen state={state} now={now} size={size} />;
}

const clearNotice = (store: Store): void => store.set({ ...store.get(), ui: { ...store.get().ui, notice: null } });

/**
 * Ink takes its listener off while another program has the terminal, but the stream beneath reads on and would take that program's keys.
 * Pausing ends that, once the listener is gone for the stream too.
 */
async function withoutReading(work: () => Promise<void>): Promise<void> {
  await setImmediate();
  process.stdin.pause();
  await setImmediate();
  await work();
}

/** This moment, anew every second. */
function useSeconds(store: Store): number {
  const [, setSecond] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      store.set(reduce(store.get(), { type: 'tick', at: Date.now() }));
      setSecond((second) => second + 1);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [store]);
  return Date.now();
}

/** Listens to the source as long as the screen is there. */
function useSource(source: Source, store: Store, exit: (error?: unknown) => void, load: (open: OpenRow) => void): void {
  const latest = useRef(load);
  latest.current = load;
  const tell = useCallback(
    (action: Action) => {
      store.set(reduce(store.get(), action));
      const open = changedRow(store.get(), action);
      if (open) latest.current(open);
    },
    [store],
  );
  useEffect(() => {
    const controller = new AbortController();
    void source.run(tell, controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) exit(error);
    });
    return () => controller.abort();
  }, [source, tell, exit]);
}

type OpenRow = { readonly tab: Tab; readonly row: AnyRow };

/** The delivery whose detail is open, when there is news of it: another attempt, which the reader is waiting for. */
function changedRow({ ui: { overlay } }: State, action: Action): OpenRow | null {
  if (overlay?.kind !== 'detail' || overlay.tab !== 'deliveries' || action.type !== 'news') return null;
  return action.news.deliveries.some(({ id }) => id === overlay.row.id) ? overlay : null;
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
const LETTERS = 26;
const LETTER_OFFSET = 96;

/** What the terminal library read, one press for each character: keys that follow each other fast arrive as one text. */
export function pressesOf(input: string, key: Key): readonly Press[] {
  if (key.tab) return [{ name: key.shift ? 'shift-tab' : 'tab', text: null }];
  const special = SPECIAL.find(([flag]) => key[flag]);
  if (special) return [{ name: special[1], text: null }];
  if (key.ctrl) return [{ name: `ctrl-${input}`, text: null }];
  const presses = Array.from(input).map(pressOf);
  // No key of ours is held with Alt: it is Escape, and the next key at its heels.
  return key.meta ? [{ name: 'esc', text: null }, ...presses] : presses;
}

function pressOf(character: string): Press {
  const name = CONTROL[character];
  if (name !== undefined) return { name, text: null };
  const code = character.codePointAt(0) ?? 0;
  if (code >= 1 && code <= LETTERS) return { name: `ctrl-${String.fromCodePoint(code + LETTER_OFFSET)}`, text: null };
  return { name: character, text: character };
}
