/** A real terminal of a given size, by tmux: keys go in, the screen comes out as text. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Home, RUN } from './home.ts';
import { type Tmux, openTmux } from './tmux.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Terminal extends AsyncDisposable {
  /** Runs the command line of this checkout, as typed by a user. */
  run(args: string, options?: { enter?: boolean }): Promise<void>;
  /**
   * Types a command of the shell on a clear screen. Resolves with its exit code and the lines that it printed when it has ended.
   * `answer`: to its question whether to continue.
   */
  type(command: string, options?: { answer?: string }): Promise<{ exit: number; output: readonly string[] }>;
  /** Resolves when what was run has ended: its exit code, and the screen that it left. */
  ends(): Promise<{ exit: number; screen: string }>;
  /** Names of tmux, such as `Enter`, `Escape`, `PageDown`, or characters. */
  press(...keys: readonly string[]): Promise<void>;
  /** Text exactly as it is. */
  write(text: string): Promise<void>;
  screen(): Promise<string>;
  /** The foreground colors on the screen, as parameters of SGR: `31` is the third of the 16 colors, `38;5;28` one of the palette. */
  colors(): Promise<ReadonlySet<string>>;
  /** Resolves with the screen as soon as it matches; fails with what is there instead. */
  shows(wanted: RegExp | ((screen: string) => boolean), what?: string): Promise<string>;
  /** Resolves when nothing matches any more. */
  hides(unwanted: RegExp): Promise<string>;
  resize(size: TerminalSize): Promise<void>;
  /** Whether a program has taken the screen over, and whether the cursor is seen. */
  modes(): Promise<{ alternate: boolean; cursor: boolean }>;
  /** What was put on the clipboard last. */
  clipboard(): Promise<string>;
  /** The process that runs in front of the shell. */
  pid(): Promise<number>;
}

/** Generous, because the machine may be busy; a screen that matches is returned immediately. */
const TIMEOUT_MS = 120_000;
/** How often the screen is read even if nothing has been printed. */
const POLL_MS = 1_000;
/** Least time between two reads of a screen that keeps changing. */
const FRAME_MS = 20;
const PROMPT = 'ready> ';

const withoutWhitespace = (text: string): string => text.replaceAll(/\s/gu, '');

export async function openTerminal(
  home: Pick<Home, 'env' | 'directory' | 'path'>,
  size: TerminalSize,
  env: Readonly<Record<string, string>> = {},
): Promise<Terminal> {
  const { columns, rows } = size;
  const socket = home.path(`tmux-${String(columns)}x${String(rows)}-${String(process.hrtime.bigint())}`);
  const tmux = await openTmux({ socket, columns, rows, env: { ...home.env, ...env }, cwd: home.directory });
  const screen = createScreen(tmux);
  // Some shells take no prompt from their environment.
  await screen.write(`PS1='${PROMPT}'; clear`);
  await screen.press('Enter');
  return {
    ...screen,
    ...createShell(screen),
    async resize({ columns: width, rows: height }) {
      await tmux.command('resize-window', '-x', String(width), '-y', String(height));
    },
    async modes() {
      const [alternate, cursor] = (await tmux.command('display-message', '-p', '#{alternate_on} #{cursor_flag}')).split(' ');
      return { alternate: alternate === '1', cursor: cursor === '1' };
    },
    async colors() {
      const styled = await tmux.command('capture-pane', '-p', '-e');
      // oxlint-disable-next-line eslint/no-control-regex
      const styles = Array.from(styled.matchAll(/\u001b\[([\d;]*)m/gu), ([, parameters = '']) => parameters);
      return new Set(styles.flatMap((style) => style.match(/38;5;\d+|\b3[0-7]\b/gu) ?? []));
    },
    async clipboard() {
      // Not by show-buffer, whose output the control client escapes.
      const file = `${socket}.clipboard`;
      await tmux.command('save-buffer', file);
      return readFileSync(file, 'utf8');
    },
    async pid() {
      const shell = await tmux.command('display-message', '-p', '#{pane_pid}');
      const [child] = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ');
      if (child === undefined || child === '') throw new Error('no program runs in the shell');
      return Number(child);
    },
    [Symbol.asyncDispose]: () => tmux[Symbol.asyncDispose](),
  };
}

type Screen = Pick<Terminal, 'press' | 'write' | 'screen' | 'shows' | 'hides'>;

function createScreen(tmux: Tmux): Screen {
  const readScreen = () => tmux.command('capture-pane', '-p');
  const shows: Terminal['shows'] = async (wanted, what = String(wanted)) => {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      const screen = await readScreen();
      if (wanted instanceof RegExp ? wanted.test(screen) : wanted(screen)) return screen;
      if (performance.now() > deadline) throw new Error(`expected ${what} on the screen, which shows:\n${screen}`);
      await sleep(FRAME_MS);
      await tmux.output(POLL_MS);
    }
  };
  return {
    async press(...keys) {
      await tmux.command('send-keys', ...keys);
    },
    async write(text) {
      await tmux.command('send-keys', '-l', text);
    },
    screen: readScreen,
    shows,
    hides: (unwanted) => shows((screen) => !unwanted.test(screen), `no ${String(unwanted)}`),
  };
}

/** Commands of the shell that the terminal runs. */
function createShell({ press, write, shows }: Screen): Pick<Terminal, 'run' | 'type' | 'ends'> {
  let ends = 0;
  /** Types text and waits for the shell to echo it; before that the screen looks as if nothing had been typed. */
  const typeText = async (text: string) => {
    await write(text);
    await shows((screen) => withoutWhitespace(screen).endsWith(withoutWhitespace(text)), `the typed "${text}"`);
  };
  const waitForPrompt = () =>
    shows((screen) => screen.trimEnd().endsWith(`\n${PROMPT.trimEnd()}`) || screen.trim() === PROMPT.trim(), 'the prompt');
  return {
    async run(args, { enter = true } = {}) {
      await waitForPrompt();
      await typeText(`'${process.execPath}' '${RUN}' ${args}`);
      if (enter) await press('Enter');
    },
    async type(command, { answer } = {}) {
      // Numbered like the answers of `ends`. The typed line goes with all before it; the mark shows that the output is complete.
      const mark = `end ${String((ends += 1))} with`;
      await write(`clear; ${command}; printf '\\n${mark} %s.\\n' $?`);
      await press('Enter');
      if (answer !== undefined) {
        await shows(/\[y\/N\]/u);
        await write(answer);
        await press('Enter');
      }
      const end = new RegExp(`^${mark} (\\d+)\\.$`, 'mu');
      const screen = await shows((text) => end.test(text) && !text.includes('clear;'), `the end of ${command}`);
      const [printed = '', exit] = screen.split(end);
      return { exit: Number(exit), output: printed.trimEnd().split('\n') };
    },
    async ends() {
      const screen = await waitForPrompt();
      // Numbered, so that an earlier answer that is still on the screen does not match.
      const answer = new RegExp(`^end ${String((ends += 1))} with (\\d+)\\.$`, 'mu');
      await typeText(`echo "end ${String(ends)} with $?."`);
      await press('Enter');
      return { exit: Number(answer.exec(await shows(answer))?.[1]), screen };
    },
  };
}

/** Expects the terminal to be restored: main screen, cursor, echo and line mode. */
export async function expectUsable(terminal: Terminal): Promise<void> {
  expect(await terminal.modes()).toEqual({ alternate: false, cursor: true });
  await terminal.write('stty -a | tr ";" "\\n" | grep -c -E "(^| )(icanon|echo)( |$)"; echo it is us""able');
  await terminal.press('Enter');
  const screen = await terminal.shows(/it is usable/u);
  // The prompt may be printed after the typed command.
  expect(screen).toMatch(/^(?:ready> )?[12]$/mu);
  expect(screen).toContain('us""able');
}
