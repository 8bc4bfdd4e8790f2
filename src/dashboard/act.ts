/** What keys have done outside the screen: by the service, in files, on the clipboard, in the pager. Ends in a notice, never in an error. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, Unreachable } from '../client/errors.ts';
import { whyUnwritable } from '../client/reasons.ts';
import { clipboardSequence, curlOf, jsonOf } from './copy.ts';
import { type ShownDelivery, prettyJson } from './detail.ts';
import type { AnyRow, DeliveryRow, EndpointRow, Notice, State, Tab } from './model.ts';
import type { Effect } from './press.ts';
import type { Action } from './reduce.ts';
import { type Deeds, type Source, testEventOf } from './source.ts';
import { counted, reasonOf, took } from './words.ts';

export interface Outside {
  readonly source: Source;
  readonly state: () => State;
  readonly tell: (action: Action) => void;
  /** Writes to the terminal without disturbing the frame. */
  readonly write: (text: string) => void;
  /** Hands the terminal over while `work` runs. */
  readonly lend: (work: () => Promise<void>) => Promise<void>;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Shown in the place of an error of our own: something the reader can understand. */
class Refusal extends Error {}

const LOCAL_ONLY = 'only the daemon of this machine does that for its owner';

export async function act(effect: Exclude<Effect, { type: 'quit' }>, outside: Outside): Promise<void> {
  const say = (text: string, tone: Notice['tone']): void => outside.tell({ type: 'notice', at: Date.now(), text, tone });
  try {
    const said = await done(effect, outside, say);
    if (said !== null) say(said, 'good');
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof Unreachable || error instanceof Refusal || isSystemError(error))) throw error;
    say(isSystemError(error) ? `${error.path ?? tmpdir()} cannot be written: ${whyUnwritable(error)}` : error.message, 'bad');
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error;

async function done(
  effect: Exclude<Effect, { type: 'quit' }>,
  outside: Outside,
  say: (text: string, tone: Notice['tone']) => void,
): Promise<string | null> {
  const { source, tell } = outside;
  const deeds = (): Deeds => {
    if (source.deeds) return source.deeds;
    throw new Refusal(LOCAL_ONLY);
  };
  switch (effect.type) {
    case 'load': {
      if (effect.tab !== 'deliveries') return null;
      const { id } = effect.row;
      if (!source.deeds) {
        tell({ type: 'loaded', id, more: { state: 'failed', reason: 'A remote service does not tell requests and attempts.' } });
        return null;
      }
      try {
        tell({ type: 'loaded', id, more: { state: 'ready', value: await source.deeds.show(id) } });
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof Unreachable)) throw error;
        tell({ type: 'loaded', id, more: { state: 'failed', reason: error.message } });
      }
      return null;
    }
    case 'resend':
      return resent(effect.ids, deeds(), say);
    case 'trigger': {
      const event = testEventOf(effect.row, outside.state().rows.endpoints);
      if (event === null) throw new Refusal('no endpoint subscribed to anything: there is nobody to send a test to');
      const { deliveries } = await deeds().trigger(event);
      return `sent ${event} as a test: ${counted(deliveries, 'delivery', 'deliveries')}`;
    }
    case 'check': {
      const { id, name } = effect.row as EndpointRow;
      const { ok, httpStatus, milliseconds, error } = await deeds().check(id);
      if (!ok) throw new Refusal(`${name}: ${reasonOf(error) ?? `HTTP ${String(httpStatus)}`}`);
      return `${name} answered ${String(httpStatus)} in ${took(milliseconds)}`;
    }
    case 'copy': {
      const shown = await shownOf(effect.tab, effect.row, source);
      const text = effect.as === 'json' ? jsonOf(effect.row, shown) : curlOf(effect.tab, effect.row, outside.state().about.url, shown);
      if (text === null) throw new Refusal('the request of this delivery cannot be read, so there is no curl for it; j copies it as JSON');
      outside.write(clipboardSequence(text));
      const path = join(await mkdtemp(join(tmpdir(), 'stockroom-')), effect.as === 'json' ? 'copied.json' : 'copied.sh');
      await writeFile(path, `${text}\n`, { mode: 0o600 });
      return `copied as ${effect.as}; also in ${path}`;
    }
    case 'page': {
      const shown = await shownOf(effect.tab, effect.row, source);
      const text = shown?.request ? prettyJson(shown.request.body) : jsonOf(effect.row, shown);
      await paged(text, outside);
      return null;
    }
    case 'save': {
      const path = join(outside.cwd, `stockroom-${effect.tab}-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.ndjson`);
      const lines = effect.rows.map((row) => `${JSON.stringify(JSON.parse(jsonOf(row, null)))}\n`);
      await writeFile(path, lines.join(''), { mode: 0o600, flag: 'wx' });
      return `saved ${counted(lines.length, 'row')} to ${path}`;
    }
  }
}

async function resent(ids: readonly string[], deeds: Deeds, say: (text: string, tone: Notice['tone']) => void): Promise<string> {
  let refused: Error | null = null;
  let count = 0;
  for (const id of ids) {
    try {
      await deeds.resend(id);
      count += 1;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused = error;
    }
    if (ids.length > 1) say(`resent ${String(count)} of ${String(ids.length)} …`, 'info');
  }
  const said = `resent ${counted(count, 'delivery', 'deliveries')}`;
  if (refused) throw new Refusal(`${said}, ${String(ids.length - count)} not: ${refused.message}`);
  return said;
}

async function shownOf(tab: Tab, row: AnyRow, { deeds }: Source): Promise<ShownDelivery | null> {
  if (tab !== 'deliveries' || !deeds) return null;
  return (await deeds.show((row as DeliveryRow).id)) as ShownDelivery;
}

/** The text in the reader's pager; its file goes when the pager ends. */
async function paged(text: string, { env, lend }: Outside): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'stockroom-'));
  try {
    const path = join(folder, 'body.json');
    await writeFile(path, `${text}\n`, { mode: 0o600 });
    const windows = process.platform === 'win32';
    const pager = env['PAGER'] || (windows ? 'more' : 'less');
    let end = '';
    await lend(async () => {
      const child = spawn(`${pager} "${path}"`, { shell: true, stdio: 'inherit', env });
      end = await new Promise((resolve) => {
        child.once('error', (error) => resolve(error.message));
        child.once('close', (code) => resolve(code === 0 || code === null ? '' : `ended with ${String(code)}`));
      });
    });
    if (end !== '') throw new Refusal(`the pager "${pager}" ${end}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
