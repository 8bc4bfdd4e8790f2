/** Runs the side effects of keys: requests, files, clipboard and pager. Expected failures become notices. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainWriteError } from '../../client/settings/file-errors.ts';
import { clipboardSequence, toCurl, toJson, toUrl } from './clipboard.ts';
import type { AnyRow, DeliveryRow, EndpointRow, Notice, State, Tab } from '../state/model.ts';
import type { DataEffect, EffectOf } from './effects.ts';
import { type EffectContext, LOCAL_ONLY, NotPossible, isExpected } from './effect-context.ts';
import { findRecord, loadDetail, previewStatus, resendDelivery, setStatus, showDelivery } from './record-effects.ts';
import { showInPager } from '../terminal/pager.ts';
import { countReplays, runReplays } from './replay-effects.ts';
import { resendMany } from './resend-many.ts';
import type { OwnerActions } from '../sources/owner-actions.ts';
import type { ShownDelivery, Source } from '../sources/source.ts';
import { formatCount, explainError, formatDuration, formatJson } from '../tables/format.ts';

export async function runEffect(effect: DataEffect, context: EffectContext): Promise<void> {
  const notify = (text: string, tone: Notice['tone']): void => context.dispatch({ type: 'notice', at: Date.now(), text, tone });
  try {
    const message = await performEffect(effect, context);
    if (message !== null) notify(message, 'good');
  } catch (error) {
    if (isSystemError(error)) notify(`Cannot write ${error.path ?? tmpdir()}: ${explainWriteError(error)}`, 'bad');
    else if (isExpected(error)) notify(error.message, 'bad');
    else throw error;
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error;

async function performEffect(effect: DataEffect, context: EffectContext): Promise<string | null> {
  const { source } = context;
  switch (effect.type) {
    case 'load':
      return loadDetail(effect, context);
    case 'find':
      return findRecord(effect, context);
    case 'preview-status':
      return previewStatus(effect, context);
    case 'set-status':
      return setStatus(effect, context);
    case 'url': {
      const url = toUrl(context.state().about.url, effect.path);
      context.write(clipboardSequence(url));
      return `${url} (copied)`;
    }
    case 'resend':
      await resendDelivery(effect.row, context);
      return `Queued 1 delivery to send now; ${describeWhatFollows(context.state())}`;
    case 'resend-many':
      return `${await resendMany(effect.rows, context)} to send now; ${describeWhatFollows(context.state())}`;
    case 'count-replays':
      return countReplays(effect, context);
    case 'replay':
      return runReplays(effect, context);
    case 'trigger':
      return sendTestEvent(effect.event, source);
    case 'check':
      return checkEndpoint(effect.row as EndpointRow, source);
    case 'copy':
      return copyRow(effect, context);
    case 'page':
      return openPager(effect, context);
    case 'save':
      return saveRows(effect, context);
  }
}

function requireActions({ actions }: Source): OwnerActions {
  if (actions) return actions;
  throw new NotPossible(LOCAL_ONLY);
}

const describeWhatFollows = ({ ui }: State): string =>
  ui.views.deliveries.problemsOnly ? 'press f to show delivered ones, too' : 'the status shows the result';

async function sendTestEvent(event: string, source: Source): Promise<string> {
  const { deliveries } = await requireActions(source).trigger(event);
  return `Sent ${event} as a test: ${formatCount(deliveries, 'delivery', 'deliveries')}`;
}

async function checkEndpoint({ id, name }: EndpointRow, source: Source): Promise<string> {
  const { ok, httpStatus, milliseconds, error } = await requireActions(source).check(id);
  if (!ok) throw new NotPossible(`${name}: ${explainError(error) ?? `HTTP ${String(httpStatus)}`}`);
  return `${name} answered ${String(httpStatus)} in ${formatDuration(milliseconds)}`;
}

/** Copies a row to the clipboard and to a file, for terminals that ignore the clipboard sequence. */
async function copyRow({ tab, row, as }: EffectOf<'copy'>, context: EffectContext): Promise<string> {
  const { state, write } = context;
  const shown = await showIfDelivery(tab, row, context);
  const text = as === 'json' ? toJson(row, shown) : toCurl(tab, row, state().about.url, shown);
  if (text === null) throw new NotPossible('The request of this delivery is not available; press j to copy it as JSON');
  write(clipboardSequence(text));
  const path = join(await mkdtemp(join(tmpdir(), 'stockroom-')), as === 'json' ? 'copied.json' : 'copied.sh');
  await writeFile(path, `${text}\n`, { mode: 0o600 });
  return `Copied as ${as}; also in ${path}`;
}

async function saveRows({ tab, rows }: EffectOf<'save'>, { cwd }: EffectContext): Promise<string> {
  const name = `stockroom-${tab}-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.ndjson`;
  const lines = rows.map((row) => `${JSON.stringify(JSON.parse(toJson(row, null)))}\n`);
  await writeFile(join(cwd, name), lines.join(''), { mode: 0o600, flag: 'wx' });
  // The name first, so that a long directory does not break it.
  return `Saved ${formatCount(lines.length, 'row')} to ${name} in ${cwd}`;
}

const showIfDelivery = async (tab: Tab, row: AnyRow, context: EffectContext): Promise<ShownDelivery | null> =>
  tab === 'deliveries' ? showDelivery(row as DeliveryRow, context) : null;

/** Keys are for the pager from here, so that none pressed while the delivery is read acts on the dashboard. */
async function openPager({ tab, row }: EffectOf<'page'>, context: EffectContext): Promise<null> {
  const { env, handover } = context;
  let problem: string | null = null;
  await handover.take(async (lend) => {
    const shown = await showIfDelivery(tab, row, context);
    const text = shown?.request ? formatJson(shown.request.body) : toJson(row, shown);
    await lend(async (signal) => {
      problem = await showInPager(text, env, signal);
    });
  });
  if (problem !== null) throw new NotPossible(problem);
  return null;
}
