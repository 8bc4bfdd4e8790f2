/** Reports how an import ended. */
import { devNull } from 'node:os';
import { IDEMPOTENCY_VALIDITY_H } from '../../contract/limits.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { quoteForShell } from '../errors/hints.ts';
import { formatAmount, isMoneyColumn } from '../output/money.ts';
import { formatCount, formatCountWithNoun, formatCountdown } from '../output/numbers.ts';
import { EFFECTS } from '../stock/document-output.ts';
import { getUpsertFlag } from './bulk-resource.ts';
import type { Effects } from './dry-run.ts';
import type { Counts } from './files/checkpoint.ts';
import type { ImportJob } from './import-job.ts';
import type { ImportEnd } from './import-phases.ts';
import { type Rejections, formatRowProblem } from './rejection.ts';
import { type RowChanges, formatChanges } from './rows/row-changes.ts';
import { detectFormat } from './rows/records.ts';

/** Prints the end of an import and sets the exit code; throws the error of a failed one. */
export async function reportEnd(job: ImportJob, end: ImportEnd): Promise<void> {
  const { context, source, rejected } = job;
  const { output } = context;
  const { rows, counts } = end;
  if (end.state === 'checked') {
    process.exitCode = counts.refused > 0 ? EXIT.partial : EXIT.ok;
    const { changes, effects, rejections } = end;
    const more = { ...(changes.length > 0 && { changes }), ...(effects && { effects: effects.rows, postedValue: effects.postedValue }) };
    await printSummary(job, { status: 'checked', rows, settled: 0, ...counts, errors: null, ...more });
    if (output.format !== 'json' && changes.length > 0) await printChanges(job, changes);
    const hidden = counts.updated - changes.length;
    if (hidden > 0) output.printNote(`and ${formatCountWithNoun(hidden, 'rows')} more`);
    if (effects && rows > 0) await printEffects(job, effects);
    printRejections(job, rejections);
    if (rows > 0) output.printNote(`${formatChecked(job.plural, rows, counts)}. Dry run: nothing was ${effects ? 'changed' : 'sent'}`);
    return;
  }
  const { settled, documents } = end;
  printRejections(job, end.rejections);
  if (end.state === 'incomplete') output.printNote(`${source.path} is still being written: its last row was incomplete and was not sent`);
  if (end.state !== 'done') output.printNote(`Stopped after row ${formatCount(settled)} of ${formatCount(rows)}; continue with --resume`);
  if (end.state === 'failed') throw end.error;
  const errors = counts.refused > 0 ? rejected.path : null;
  const isDone = end.state === 'done';
  const isPartial = end.state === 'incomplete' || counts.refused > 0;
  // Before the output, whose reader may end the command.
  process.exitCode = end.state === 'interrupted' ? end.exit : isPartial ? EXIT.partial : EXIT.ok;
  const created = job.resource.post ? { documents } : {};
  await printSummary(job, { status: isDone ? 'done' : 'stopped', rows, settled, ...counts, errors, ...created });
  const prefix = isDone ? `${formatCountWithNoun(rows, job.plural)} in ${formatCountdown(end.seconds)}` : 'So far';
  if (rows > 0) output.printNote(`${prefix}: ${formatCounts(counts, errors)}`);
  if (documents.length > 0) output.printNote(formatDocuments(job, documents));
  if (counts.repeated > 0 && !job.input.resume) output.printNote(REPEATED_HINT);
  if (isDone && errors !== null && errors !== devNull)
    output.printNote(`Fix the rejected rows and import them: \`stockroom ${formatRetry(job, errors)}\``);
  if (isDone && end.addedBytes > 0) reportGrowth(job, rows, end.addedBytes);
}

const REPEATED_HINT = `Rows with the same content were imported in the last ${String(IDEMPOTENCY_VALIDITY_H)} hours; import them again with --fresh`;

function printRejections({ context: { output } }: ImportJob, { problems, count, hints }: Rejections): void {
  for (const problem of problems) output.printNote(formatRowProblem(problem));
  if (count > problems.length) output.printNote(`and ${formatCount(count - problems.length)} more`);
  for (const hint of hints) output.printNote(hint);
}

/** Number of documents that are named. */
const DOCUMENTS_SHOWN = 10;

function formatDocuments({ input: { post } }: ImportJob, documents: readonly string[]): string {
  const more = documents.length - DOCUMENTS_SHOWN;
  const numbers = documents.slice(0, DOCUMENTS_SHOWN).join(', ') + (more > 0 ? ` and ${formatCount(more)} more` : '');
  const [first = ''] = documents;
  const which = documents.length === 1 ? 'it' : 'each';
  return post ? `Posted ${numbers}` : `Left as draft: ${numbers}. Post ${which} with \`stockroom stock documents post ${first}\``;
}

/** The `data` of `--json`. */
interface Summary extends Counts {
  readonly status: 'done' | 'stopped' | 'checked';
  readonly rows: number;
  readonly settled: number;
  readonly errors: string | null;
  /** The numbers of the stock documents that were created. */
  readonly documents?: readonly string[];
  /** What the first rows would change. */
  readonly changes?: readonly RowChanges[];
  /** The first levels that posting the documents would change. */
  readonly effects?: Effects['rows'];
  /** By how much it would change the stock value. */
  readonly postedValue?: number;
}

async function printSummary({ context: { output } }: ImportJob, summary: Summary): Promise<void> {
  if (output.format === 'json') await output.write(`${JSON.stringify({ data: summary })}\n`);
}

async function printChanges({ context: { output, session } }: ImportJob, changes: readonly RowChanges[]): Promise<void> {
  const hasMoney = changes.some(({ fields }) => Object.keys(fields).some((name) => isMoneyColumn(name, [])));
  const currency = hasMoney ? await session.readCurrency() : undefined;
  await output.write(changes.map((change) => `${formatChanges(change, currency)}\n`).join(''));
}

/** Prints what posting the documents would change, but with `--json`, whose summary has it. */
async function printEffects({ context: { output, session } }: ImportJob, effects: Effects): Promise<void> {
  const { rows, count, postedValue } = effects;
  if (output.format === 'json') return;
  if (rows.length > 0) await output.printList({ data: rows }, EFFECTS);
  if (count > rows.length) output.printNote(`and ${formatCountWithNoun(count - rows.length, 'levels')} more`);
  const currency = postedValue === 0 ? undefined : await session.readCurrency();
  const amount = currency === undefined ? String(postedValue) : formatAmount(postedValue, currency);
  const value = postedValue === 0 ? '' : `, and the stock value by ${amount}`;
  output.printNote(`Posting would change ${count === 0 ? 'no level' : formatCountWithNoun(count, 'levels')}${value}`);
}

function formatChecked(plural: string, rows: number, counts: Counts): string {
  const parts = listCounts([
    [counts.created, 'to create'],
    [counts.updated, 'to update'],
    [counts.unchanged, 'unchanged'],
    [counts.refused, 'to reject'],
  ]);
  return `${formatCountWithNoun(rows, plural)} checked${parts.length === 0 ? ', all valid' : `: ${parts.join(', ')}`}`;
}

const formatCounts = (counts: Counts, errors: string | null): string =>
  [
    `${formatCount(counts.created)} created`,
    ...listCounts([
      [counts.updated, 'updated'],
      [counts.unchanged, 'unchanged'],
      [counts.repeated, 'already imported'],
      [counts.refused, `rejected, see ${errors ?? ''}`],
    ]),
  ].join(', ');

const listCounts = (counts: readonly (readonly [count: number, text: string])[]): readonly string[] =>
  counts.flatMap(([count, text]) => (count > 0 ? [`${formatCount(count)} ${text}`] : []));

function reportGrowth({ context: { output }, source }: ImportJob, rows: number, addedBytes: number): void {
  output.printNote(`${source.path} has grown by ${formatCount(addedBytes)} bytes since it was checked; --resume imports the new rows`);
  if (source.endsMidLine) output.printNote(`Row ${formatCount(rows)} may have been incomplete when it was imported; check it`);
}

/** The command that imports the file of rejected rows. */
const formatRetry = ({ context, input, resource }: ImportJob, path: string): string =>
  [
    context.command,
    quoteForShell(path),
    ...(detectFormat(path) === 'ndjson' ? [] : ['--format ndjson']),
    ...(input.post === true ? ['--post'] : []),
    ...(input.fresh ? ['--fresh'] : []),
    ...(input.upsert === undefined ? [] : [`--upsert ${getUpsertFlag(resource, input.upsert)}`]),
  ].join(' ');
