/** Deletes records. */
import type { Reply } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import { deleteStockDocument } from '../../contract/resources/stock-documents.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { withExplanation } from '../errors/explained-error.ts';
import { usageError } from '../errors/failure.ts';
import { quoteForShell } from '../errors/hints.ts';
import { type Problem, createProblem } from '../errors/problem.ts';
import { confirmOrCancel } from '../input/confirm.ts';
import type { ServiceContext } from '../session/session.ts';
import { type ReadParts, sendRequest, toRequestParts } from './request.ts';
import { printDryRunRequest } from './write-record.ts';

export type DeleteContext = ServiceContext & { readonly words: readonly string[] };

/** Errors that the next request would cause, too. */
const STOPPING_EXITS: ReadonlySet<number> = new Set([EXIT.unexpected, EXIT.denied, EXIT.rateLimited, EXIT.unreachable]);

/** Deletes records, at a terminal after confirmation. `noun`: `item`. A command with one argument takes several ids. */
export async function deleteRecords(context: DeleteContext, op: Operation, noun: string): Promise<void> {
  const { flags, output } = context;
  const targets = listTargets(context);
  const ids = targets.map(({ id }) => id);
  if (flags['dry-run'] === true) {
    for (const target of targets) await printDryRunRequest(output, op, await toRequestParts({ ...context, ...target }, op));
    return;
  }
  const [target] = targets;
  if (!target || targets.length > 1) {
    await confirmOrCancel(context, `Delete ${String(ids.length)} records: ${ids.join(', ')}?`, 'nothing was deleted');
    return deleteAll(context, op, targets, noun);
  }
  // An unknown name is reported before the question.
  const parts = await toRequestParts({ ...context, ...target }, op);
  await confirmOrCancel(context, `Delete ${noun} ${target.id}?`, 'nothing was deleted');
  const { text } = await deleteOne(context, op, parts, target.id, noun);
  await output.write(output.format === 'json' && text !== '' ? `${text}\n` : '', 'json');
}

async function deleteOne(context: DeleteContext, op: Operation, parts: ReadParts, id: string, noun: string): Promise<Reply> {
  const [topic = '', verb] = context.command.split(' ');
  const isDeactivatable = DEACTIVATABLE_TOPICS.includes(topic) && verb === 'delete';
  const reply = await withExplanation(sendRequest(context, op, parts), ({ code }) => {
    if (code === 'RESOURCE_IN_USE' && isDeactivatable)
      return { hint: `Deactivate it instead: \`stockroom ${topic} update ${quoteForShell(id)} --no-is-active\`` };
    if (code === 'INVALID_STATE' && op === deleteStockDocument)
      return { hint: `Cancel it instead: \`stockroom stock documents cancel ${quoteForShell(id)}\`` };
    return undefined;
  });
  context.output.printNote(`Deleted ${noun} ${id}`);
  return reply;
}

/** Topics whose records can be deactivated instead of deleted. */
const DEACTIVATABLE_TOPICS: readonly string[] = ['items', 'contacts', 'categories', 'units', 'sites'];

/** Deletes each record and reports those that cannot be deleted. */
async function deleteAll(context: DeleteContext, op: Operation, targets: readonly DeleteTarget[], noun: string): Promise<void> {
  const { output } = context;
  const results: DeleteResult[] = [];
  const isJson = output.format === 'json';
  try {
    for (const target of targets) {
      const { id } = target;
      try {
        await deleteOne(context, op, await toRequestParts({ ...context, ...target }, op), id, noun);
        results.push({ target: id, deleted: true, error: null });
      } catch (error) {
        const problem = context.toProblem(error);
        results.push({ target: id, deleted: false, error: problem });
        if (STOPPING_EXITS.has(problem.exit)) throw error;
        if (!isJson) output.printNote(`Not deleted: ${noun} ${id}`);
        if (!isJson) context.reportProblem(problem);
      }
    }
  } finally {
    const error = summarize(results);
    process.exitCode = error?.exit ?? EXIT.ok;
    if (isJson) await output.write(`${JSON.stringify({ data: results, ...(error && { error }) })}\n`, 'json');
  }
}

interface DeleteResult {
  readonly target: string;
  readonly deleted: boolean;
  readonly error: Problem | null;
}

/** The error of the command: the one that stopped it, else the worst if nothing was deleted, else that a part failed. */
function summarize(results: readonly DeleteResult[]): Problem | undefined {
  const errors = results.flatMap(({ error }) => error ?? []);
  const stop = errors.find(({ exit }) => STOPPING_EXITS.has(exit));
  if (stop !== undefined || errors.length === 0) return stop;
  if (errors.length === results.length) return errors.toSorted((a, b) => b.exit - a.exit)[0];
  const message = `${String(errors.length)} of ${String(results.length)} records were not deleted`;
  return createProblem({ code: 'PARTLY_FAILED', message, exit: EXIT.partial });
}

interface DeleteTarget {
  readonly id: string;
  /** The arguments of a command for this record alone. */
  readonly args: Readonly<Record<string, unknown>>;
}

function listTargets({ args, words }: DeleteContext): readonly DeleteTarget[] {
  const names = Object.keys(args);
  const name = names.at(-1) ?? '';
  // Only commands with one argument take several ids. oclif adds a `--` that was typed.
  const ids = names.length > 1 ? [String(args[name])] : words.filter((id) => id !== '--');
  // Usually an unset variable of a script: nothing is deleted then.
  if (ids.includes('')) throw usageError(`${name.toUpperCase()} must not be empty`);
  return ids.map((id) => ({ id, args: { ...args, [name]: id } }));
}
