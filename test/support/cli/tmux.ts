/** A tmux server with one session, driven over one control client: a process for each command would cost more than what is tested. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Tmux extends AsyncDisposable {
  /** Runs a command of tmux and returns its output. */
  command(...args: readonly string[]): Promise<string>;
  /** Resolves when the terminal has printed something since the last call, and at the latest after so many milliseconds. */
  output(timeoutMs: number): Promise<void>;
}

export interface TmuxOptions {
  readonly socket: string;
  readonly columns: number;
  readonly rows: number;
  /** Environment of the shell. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

const SETTINGS = ['set -g status off', 'set -g set-clipboard on', 'set -g escape-time 0', 'set -g default-terminal screen-256color'];

let isInstalled = false;

/** Installs tmux where that is possible; throws an error that says what is missing otherwise. */
export function installTmux(): void {
  if (isInstalled || hasTmux()) {
    isInstalled = true;
    return;
  }
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'tmux'], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch {
    // Reported below.
  }
  isInstalled = hasTmux();
  if (!isInstalled)
    throw new Error('The terminal tests need tmux 3 or newer and could not install it: `apt-get install tmux` or `brew install tmux`.');
}

function hasTmux(): boolean {
  try {
    return Number(/(\d+)/u.exec(execFileSync('tmux', ['-V'], { encoding: 'utf8' }))?.[1]) >= 3;
  } catch {
    return false;
  }
}

/** Starts a server with a shell in a terminal of the given size. */
export async function openTmux({ socket, columns, rows, env, cwd }: TmuxOptions): Promise<Tmux> {
  installTmux();
  const config = `${socket}.conf`;
  writeFileSync(config, `${SETTINGS.join('\n')}\n`);
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const session = ['new-session', '-x', String(columns), '-y', String(rows), ...variables, 'sh'];
  const client = spawn('tmux', ['-S', socket, '-f', config, '-C', ...session], {
    env: { ...env, LC_ALL: 'C.UTF-8' },
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const replies: PromiseWithResolvers<string>[] = [];
  const isClosed = once(client, 'close');
  client.once('close', () => {
    for (const reply of replies.splice(0)) reply.reject(new Error('tmux has ended'));
  });
  let hasOutput = false;
  let onOutput = () => {};
  readControlMode(client.stdout, {
    onReply(text, isOk) {
      const reply = replies.shift();
      if (isOk) reply?.resolve(text);
      else reply?.reject(new Error(`tmux: ${text}`));
    },
    onOutput() {
      hasOutput = true;
      onOutput();
    },
  });
  const expectReply = (): Promise<string> => {
    const reply = Promise.withResolvers<string>();
    replies.push(reply);
    return reply.promise;
  };
  const command: Tmux['command'] = (...args) => {
    const reply = expectReply();
    client.stdin.write(`${args.map(quote).join(' ')}\n`);
    return reply;
  };
  // The command that has started the server replies first.
  await expectReply();
  return {
    command,
    async output(timeoutMs) {
      if (!hasOutput) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, timeoutMs);
        onOutput = resolve;
        await promise;
        clearTimeout(timer);
      }
      hasOutput = false;
    },
    async [Symbol.asyncDispose]() {
      await command('kill-server').catch(() => undefined);
      await isClosed;
    },
  };
}

interface ControlEvents {
  onReply(text: string, isOk: boolean): void;
  /** The terminal has printed something. */
  onOutput(): void;
}

/** Reads what tmux prints in control mode: replies between `%begin` and `%end` or `%error`, and notifications. */
function readControlMode(input: Readable, { onReply, onOutput }: ControlEvents): void {
  let block: string[] | undefined;
  createInterface({ input }).on('line', (line) => {
    if (block !== undefined) {
      const end = /^%(end|error) \d+ \d+ \d+$/u.exec(line)?.[1];
      if (end === undefined) {
        block.push(line);
        return;
      }
      const text = block.join('\n');
      block = undefined;
      onReply(text, end === 'end');
    } else if (/^%begin \d+ \d+ \d+$/u.test(line)) {
      block = [];
    } else if (line.startsWith('%output')) {
      onOutput();
    }
  });
}

const quote = (arg: string): string => `'${arg.replaceAll("'", String.raw`'\''`)}'`;
