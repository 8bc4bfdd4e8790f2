/** A real terminal of a given size, by tmux: keys go in, the screen comes out as text. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect } from 'vitest';
import { type Home, RUN } from './cli.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Terminal extends AsyncDisposable {
  /** Runs the command line of this checkout, as somebody types it. */
  run(args: string, options?: { enter?: boolean }): Promise<void>;
  /** Resolves when what was run has ended: its exit code, and the screen that it left. */
  ends(): Promise<{ exit: number; screen: string }>;
  /** Names of tmux, such as `Enter`, `Escape`, `PageDown`, or characters. */
  press(...keys: readonly string[]): Promise<void>;
  /** Text exactly as it is. */
  write(text: string): Promise<void>;
  screen(): Promise<string>;
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

/** Long, because the machine may be busy; a screen that is right is seen at once. */
const PATIENCE_MS = 60_000;
/** How often the screen is looked at; nothing tells when it changes. */
const LOOK_MS = 50;
const PROMPT = 'ready> ';

/** Installs tmux where that is possible; else says in one sentence what is missing. */
export function needTmux(): void {
  if (hasTmux()) return;
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'tmux'], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch {
    // Said below.
  }
  if (!hasTmux())
    throw new Error('The terminal tests need tmux 3 or newer and could not install it: `apt-get install tmux` or `brew install tmux`.');
}

function hasTmux(): boolean {
  try {
    return Number(/(\d+)/u.exec(execFileSync('tmux', ['-V'], { encoding: 'utf8' }))?.[1]) >= 3;
  } catch {
    return false;
  }
}

/** Without what depends on where lines are broken. */
const squeezed = (text: string): string => text.replaceAll(/\s/gu, '');

export async function openTerminal(
  home: Pick<Home, 'env' | 'directory' | 'path'>,
  size: TerminalSize,
  env: Readonly<Record<string, string>> = {},
): Promise<Terminal> {
  needTmux();
  const socket = home.path(`tmux-${String(size.columns)}x${String(size.rows)}-${String(process.hrtime.bigint())}`);
  const config = `${socket}.conf`;
  const lines = ['set -g status off', 'set -g set-clipboard on', 'set -g escape-time 0', 'set -g default-terminal screen-256color'];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (
      await execa('tmux', ['-S', socket, '-f', config, ...args], {
        env: { ...home.env, LC_ALL: 'C.UTF-8', ...env },
        extendEnv: false,
        cwd: home.directory,
      })
    ).stdout;
  const { columns, rows } = size;
  const variables = Object.entries({ ...home.env, ...env }).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  await tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), ...variables, 'sh');
  // Each window keeps the size it was made with, because nobody looks at it.
  const shows: Terminal['shows'] = async (wanted, what = String(wanted)) => {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const seen = await terminal.screen();
      if (wanted instanceof RegExp ? wanted.test(seen) : wanted(seen)) return seen;
      if (performance.now() > until) throw new Error(`expected ${what} on the screen, which shows:\n${seen}`);
      await sleep(LOOK_MS);
    }
  };
  let ends = 0;
  /** The screen shows typed text only when the shell has echoed it; till then it looks as if nothing had been typed. */
  const typed = async (text: string) => {
    await terminal.write(text);
    await shows((screen) => squeezed(screen).endsWith(squeezed(text)), `the typed "${text}"`);
  };
  const prompted = () =>
    shows((screen) => screen.trimEnd().endsWith(`\n${PROMPT.trimEnd()}`) || screen.trim() === PROMPT.trim(), 'the prompt');
  const terminal: Terminal = {
    async run(args, { enter = true } = {}) {
      await prompted();
      await typed(`'${process.execPath}' '${RUN}' ${args}`);
      if (enter) await terminal.press('Enter');
    },
    async ends() {
      const screen = await prompted();
      // Numbered, so that an answer that is still on the screen is not taken for this one.
      const answer = new RegExp(`^end ${String((ends += 1))} with (\\d+)\\.$`, 'mu');
      await typed(`echo "end ${String(ends)} with $?."`);
      await terminal.press('Enter');
      return { exit: Number(answer.exec(await shows(answer))?.[1]), screen };
    },
    async press(...keys) {
      await tmux('send-keys', ...keys);
    },
    async write(text) {
      await tmux('send-keys', '-l', text);
    },
    screen: () => tmux('capture-pane', '-p'),
    shows,
    hides: (unwanted) => shows((screen) => !unwanted.test(screen), `no ${String(unwanted)}`),
    async resize({ columns: width, rows: height }) {
      await tmux('resize-window', '-x', String(width), '-y', String(height));
    },
    async modes() {
      const [alternate, cursor] = (await tmux('display-message', '-p', '#{alternate_on} #{cursor_flag}')).split(' ');
      return { alternate: alternate === '1', cursor: cursor === '1' };
    },
    clipboard: () => tmux('show-buffer'),
    async pid() {
      const shell = await tmux('display-message', '-p', '#{pane_pid}');
      const [child] = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ');
      if (child === undefined || child === '') throw new Error('nothing runs in front of the shell');
      return Number(child);
    },
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => undefined);
    },
  };
  // Some shells take no prompt from their environment.
  await terminal.write(`PS1='${PROMPT}'; clear`);
  await terminal.press('Enter');
  return terminal;
}

/** The terminal is as it was: main screen, cursor, echo and lines. */
export async function expectUsable(terminal: Terminal): Promise<void> {
  expect(await terminal.modes()).toEqual({ alternate: false, cursor: true });
  await terminal.write('stty -a | tr ";" "\\n" | grep -c -E "(^| )(icanon|echo)( |$)"; echo it is us""able');
  await terminal.press('Enter');
  const screen = await terminal.shows(/it is usable/u);
  expect(screen).toMatch(/^[12]$/mu);
  expect(screen).toContain('us""able');
}
