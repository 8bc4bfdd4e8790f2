/** Base of the commands that perform operations: list, show, write, delete. Subclasses provide the client. */
import { Flags, type Interfaces } from '@oclif/core';
import type { Client, Reply, Trace } from '../../client/client.ts';
import type { ListBody } from '../../client/complete-list.ts';
import { iteratePages } from '../../client/pages.ts';
import { type LooseParts, toRequest } from '../../client/request.ts';
import type { RetryPolicy } from '../../client/retry.ts';
import type { Target } from '../../client/target.ts';
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import type { Operation } from '../../contract/operation.ts';
import { resolveDataDirectory } from '../../contract/local-paths.ts';
import { confirm } from '../input/confirm.ts';
import { readRequestBody, isEmptyBody } from '../input/request-body.ts';
import { type RecordSource, resolveBody, resolveParams, resolveQuery } from '../input/resolve-names.ts';
import { StockroomCommand } from './stockroom-command.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { Failure, usageError } from '../errors/failure.ts';
import { type HintContext, quoteForShell } from '../errors/hints.ts';
import { type Problem, toProblem } from '../errors/problem.ts';
import { getResourceSchema, isId, listFields, listLeafFields } from '../output/fields.ts';
import { formatCount, formatCountWithNoun } from '../output/numbers.ts';
import { globalFlags, maxWaitFlag, profileFlag } from '../input/common-flags.ts';
import { listInstantFlags, toQuery } from '../input/operation-flags.ts';
import type { Page, View } from '../output/printer.ts';
import { parseInstant } from '../input/timestamp.ts';
import { withElapsedTime, waitWithCountdown } from '../output/wait-indicator.ts';

/** The part of the parser's result that operations need. */
export interface Parsed {
  readonly args: Readonly<Record<string, unknown>>;
  readonly flags: Readonly<Record<string, unknown>>;
}

/** The path and the query of a request. */
interface ReadParts extends LooseParts {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** Special columns of a list. */
type ListOptions = Pick<View, 'derived' | 'hiddenIfEmpty' | 'neverTruncated'>;

/** Fields that a command adds to the body of the user, if necessary computed from it. */
export type ExtraFields =
  | Readonly<Record<string, unknown>>
  | ((body: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>);

export const yesFlag = {
  yes: Flags.boolean({
    char: 'y',
    description: 'Skip the confirmation prompt. There is none without a terminal, in CI or with --no-input.',
  }),
};

export abstract class ServiceCommand extends StockroomCommand {
  static override baseFlags: Interfaces.FlagInput = { ...globalFlags, profile: profileFlag, 'max-wait': maxWaitFlag };

  /** Creates the client, as the flags say. */
  protected abstract connect(): Promise<Client>;

  /** The time of the service, which may have a test clock. */
  protected abstract getServiceTime(): Promise<Date>;

  /** Connects to the service that has a list, to look up names in it. `tenant`: that of the request, if it names one. */
  protected abstract connectToList(list: Operation, tenant: string | undefined): Promise<RecordSource>;

  /** Whether names are looked up in lists of the admin API where it has one. */
  protected readonly prefersAdminLists: boolean = false;

  private inUseHint: string | undefined;
  private malformedId: string | undefined;

  /** Query parameters that are not flags of the command, such as the tenant of the profile. */
  protected getContextQuery(_op: Operation, _flags: Parsed['flags']): Promise<Record<string, string | undefined>> {
    return Promise.resolve({});
  }

  /** Prints a list: one page, or with `--limit` and `--all` as many pages as necessary. Returns the number of rows. */
  protected async list(op: Operation, parsed: Parsed, columns: readonly string[], options: ListOptions = {}): Promise<number> {
    const {
      all,
      limit,
      page,
      'page-size': pageSize,
    } = parsed.flags as { all?: boolean; limit?: number; page?: number; 'page-size'?: number };
    const view = this.validateOutput({ ...getView(op, columns), ...options });
    const parts = await this.toRequestParts(op, await this.resolveInstants(op, parsed));
    const client = await this.connect();
    const isPaged = op.query?.properties['page'] !== undefined;
    if (!isPaged) {
      const reply = (await this.withWaitIndicator(client.perform(op, parts))) as Reply as Reply<{ data: readonly unknown[] }>;
      const { count } = await this.printList(reply.body, view, reply.text);
      if (count === 0 && this.format !== 'json') this.printNoRows();
      return count;
    }
    if (all === true || (limit !== undefined && limit > PAGE_SIZE_MAX)) {
      let total = 0;
      const pages = toPages(iteratePages(client, op, parts, limit), (body) => (total = body.pagination.total));
      const shown = await this.printPages(pages, view);
      this.reportHiddenColumns(shown);
      this.printRowCount(shown.count, total, 1);
      return shown.count;
    }
    const query = { ...parts.query, page, page_size: pageSize ?? limit };
    const reply = (await this.withWaitIndicator(client.perform(op, { ...parts, query }))) as Reply as Reply<ListBody>;
    const shown = await this.printList(reply.body, view, reply.text);
    const { pagination } = reply.body;
    if (this.format !== 'json') this.printRowCount(shown.count, pagination.total, (pagination.page - 1) * pagination.pageSize + 1);
    return shown.count;
  }

  /** Prints one resource. */
  protected async show(op: Operation, parsed: Parsed): Promise<Reply> {
    const view = this.validateOutput(getView(op));
    const parts = await this.toRequestParts(op, parsed);
    const client = await this.connect();
    const reply = (await this.withWaitIndicator(client.perform(op, parts))) as Reply;
    await this.printOne(reply.body as { data: unknown }, view, reply.text);
    return reply;
  }

  /** Sends a body and prints the resource in the response; with `--dry-run` prints the request instead. */
  protected async write(op: Operation, parsed: Parsed, more: ExtraFields = {}): Promise<Reply | undefined> {
    const view = this.validateOutput(getView(op));
    const reply = await this.submit(op, parsed, more);
    if (reply) await this.printOne(reply.body as { data: unknown }, view, reply.text);
    return reply;
  }

  /** Sends a body and returns the response; undefined for a dry run. */
  protected async submit(op: Operation, parsed: Parsed, more: ExtraFields = {}): Promise<Reply | undefined> {
    const typed = await readRequestBody(op, parsed.flags);
    const body = { ...typed, ...(typeof more === 'function' ? await more(typed) : more) };
    if (op.method === 'PATCH' && isEmptyBody(body))
      throw usageError('No changes given', 'Set at least one field with its flag, --set or --data');
    const parts = await this.toWriteParts(op, parsed, body);
    if (parsed.flags['dry-run'] === true) {
      await this.printDryRunRequest(op, parts);
      return undefined;
    }
    const key = parsed.flags['idempotency-key'] as string | undefined;
    const client = await this.connect();
    return this.withWaitIndicator(client.perform(op, parts, key === undefined ? {} : { idempotencyKey: key }));
  }

  /** Deletes resources, at a terminal after confirmation. `noun`: `item`. A command that is not strict takes several ids. */
  protected async remove(op: Operation, parsed: Parsed & { readonly argv: readonly unknown[] }, noun: string): Promise<void> {
    const targets = listTargets(parsed);
    const ids = targets.map(({ id }) => id);
    const [target] = targets;
    if (target && parsed.flags['dry-run'] === true) {
      for (const each of targets) await this.printDryRunRequest(op, await this.toRequestParts(op, each));
      return;
    }
    // A single unknown name is reported before the question.
    const parts = target && targets.length === 1 ? await this.toRequestParts(op, target) : undefined;
    const question = parts ? `Delete ${noun} ${ids.join('')}?` : `Delete ${String(ids.length)} records: ${ids.join(', ')}?`;
    if (parsed.flags['yes'] !== true && this.canPrompt && !(await confirm(question))) {
      throw new Failure('CANCELLED', 'Cancelled; nothing was deleted', { exit: EXIT.usage });
    }
    if (!parts) return this.removeAll(op, targets, noun);
    const reply = await this.removeOne(op, parts, ids.join(''), noun);
    await this.out.write(this.format === 'json' && reply.text !== '' ? `${reply.text}\n` : '', 'json');
  }

  private async removeOne(op: Operation, parts: ReadParts, id: string, noun: string): Promise<Reply> {
    const [topic = ''] = (this.id ?? '').split(':');
    if (DEACTIVATABLE_TOPICS.includes(topic) && this.id === `${topic}:delete`)
      this.inUseHint = `Deactivate it instead: \`stockroom ${topic} update ${quoteForShell(id)} --no-is-active\``;
    const client = await this.connect();
    const reply = (await this.withWaitIndicator(client.perform(op, parts))) as Reply;
    this.printNote(`Deleted ${noun} ${id}`);
    return reply;
  }

  /** Deletes each resource and reports those that cannot be deleted; the exit code is the highest of their errors. */
  private async removeAll(op: Operation, targets: readonly DeleteTarget[], noun: string): Promise<void> {
    const results: { target: string; deleted: boolean; error: Problem | null }[] = [];
    const isJson = this.format === 'json';
    try {
      for (const { id, ...parsed } of targets) {
        try {
          await this.removeOne(op, await this.toRequestParts(op, parsed), id, noun);
          results.push({ target: id, deleted: true, error: null });
        } catch (error) {
          const problem = toProblem(error, this.getHintContext());
          results.push({ target: id, deleted: false, error: problem });
          if (STOPPING_EXITS.has(problem.exit)) throw error;
          if (!isJson) this.printNote(`Not deleted: ${noun} ${id}`);
          if (!isJson) this.reportProblem(problem);
        }
      }
    } finally {
      if (isJson) await this.out.write(`${JSON.stringify({ data: results })}\n`, 'json');
    }
    process.exitCode = Math.max(...results.map(({ error }) => error?.exit ?? EXIT.ok));
  }

  /** Converts the flags for points in time to timestamps: `2h` means two hours ago. */
  protected async resolveInstants(op: Operation, { args, flags }: Parsed): Promise<Parsed> {
    const instants: Record<string, string> = {};
    for (const flag of listInstantFlags(op.query?.properties ?? {})) {
      const text = flags[flag];
      if (typeof text !== 'string') continue;
      instants[flag] = await parseInstant(text, () => this.withWaitIndicator(this.getServiceTime()), `--${flag}`);
    }
    return { args, flags: { ...flags, ...instants } };
  }

  /** Builds the path and the query of a request; names of records are replaced by their ids. */
  protected async toRequestParts(op: Operation, { args, flags }: Parsed): Promise<ReadParts> {
    const names = Object.keys(op.params?.properties ?? {});
    // Usually an unset variable of a script.
    const empty = names.find((name) => args[name] === '');
    if (empty !== undefined) throw usageError(`${empty.toUpperCase()} must not be empty`);
    const query = { ...(await this.getContextQuery(op, flags)), ...omitUndefined(toQuery(op, flags)) };
    const context = this.getLookup(query);
    const params = await resolveParams(op.params, Object.fromEntries(names.map((name) => [name, String(args[name])])), context);
    this.malformedId = describeMalformedId(op, params);
    return { params, query: await resolveQuery(op.query, query, { ...context, params }) };
  }

  /** Like `toRequestParts`, with a body. */
  protected async toWriteParts(
    op: Operation,
    parsed: Parsed,
    body: Readonly<Record<string, unknown>>,
  ): Promise<ReadParts & { body: unknown }> {
    const parts = await this.toRequestParts(op, parsed);
    const context = { ...this.getLookup(parts.query), params: parts.params };
    return { ...parts, body: await resolveBody(op.body, body, context) };
  }

  private getLookup({ tenant }: ReadParts['query']) {
    return {
      prefersAdmin: this.prefersAdminLists,
      connectTo: (list: Operation) => this.connectToList(list, tenant),
    };
  }

  /** The data directory that hints must name: that of `--data-dir`, or of a profile, which daemon commands ignore. */
  protected getDataDirForHints(target: Target | undefined): string | undefined {
    const typed = (this.globals as { 'data-dir'?: string })['data-dir'];
    const found = target?.dataDir.value;
    return typed ?? (found === resolveDataDirectory(process.env) ? undefined : found);
  }

  /** What hints depend on the service for. */
  protected getTargetHints(target: Target | undefined): Pick<HintContext, 'isEphemeral' | 'dataDir'> {
    return {
      isEphemeral: target?.isLocal === true && target.daemon?.options.ephemeral === true,
      dataDir: this.getDataDirForHints(target),
    };
  }

  /** Shows the elapsed time while a response is pending, at a terminal only. */
  protected withWaitIndicator<T>(response: Promise<T>): Promise<T> {
    return withElapsedTime(response, 'Waiting for the response');
  }

  protected retryPolicy(): RetryPolicy {
    const seconds = (this.globals as { 'max-wait'?: number })['max-wait'] ?? 0;
    return { maxWaitMs: seconds * 1000, wait: (wait) => waitWithCountdown(wait) };
  }

  /** Logs each request with `--verbose`. */
  protected getTraceOptions(url: string): { onTrace?: (trace: Trace) => void } {
    if (this.globals.verbose !== true) return {};
    const paint = this.getPaint(process.stderr);
    return {
      onTrace: ({ method, path, status, milliseconds, idempotencyKey }) => {
        const key = idempotencyKey === null ? '' : `  idempotency key ${idempotencyKey}`;
        this.printNote(
          paint('dim', `${method} ${url}${path}  ${status === null ? 'no response' : String(status)}  ${milliseconds.toFixed(0)} ms${key}`),
        );
      },
    };
  }

  private async printDryRunRequest(op: Operation, parts: LooseParts): Promise<void> {
    const { method, path, body } = toRequest(op, parts);
    const json = `{"method":"${method}","path":${JSON.stringify(path)},"body":${body ?? 'null'}}`;
    await this.printText(json, `${method} ${path}\n${body === undefined ? '' : `${body}\n`}`);
    this.printNote('Dry run: nothing was sent');
  }

  /** Reports how many of how many rows were printed, so that a list is never cut silently. */
  private printRowCount(count: number, total: number, first: number): void {
    const paint = this.getPaint(process.stderr);
    if (total === 0) this.printNoRows();
    else if (count < total) {
      const range = first === 1 ? formatCount(count) : count === 0 ? 'none' : `${formatCount(first)}–${formatCount(first + count - 1)}`;
      this.printNote(paint('dim', `${range} of ${formatCount(total)} — use --all for every row`));
    } else if (process.stdout.isTTY) this.printNote(paint('dim', formatCountWithNoun(total, 'rows')));
  }

  /** A table without rows has no header: no output at all would look like a failure. */
  protected printNoRows(): void {
    if (process.stdout.isTTY) this.printNote(this.getPaint(process.stderr)('dim', 'No results'));
  }

  protected override getHintContext(): HintContext {
    return { ...super.getHintContext(), inUseHint: this.inUseHint, malformedId: this.malformedId };
  }
}

/** Errors that the next request would cause, too. */
const STOPPING_EXITS: ReadonlySet<number> = new Set([EXIT.unexpected, EXIT.denied, EXIT.rateLimited, EXIT.unreachable]);

/** A resource of a command with several ids. */
type DeleteTarget = Parsed & { readonly id: string };

/** The resources to delete, each with the arguments of a command for it alone. */
function listTargets({ args, argv, flags }: Parsed & { readonly argv: readonly unknown[] }): readonly DeleteTarget[] {
  const names = Object.keys(args);
  const name = names.at(-1) ?? '';
  // Only commands with one argument take several ids. oclif adds a `--` that was typed.
  const ids = names.length > 1 ? [String(args[name])] : argv.map(String).filter((id) => id !== '--');
  // Usually an unset variable of a script: nothing is deleted then.
  if (ids.includes('')) throw usageError(`${name.toUpperCase()} must not be empty`);
  return ids.map((id) => ({ id, args: { ...args, [name]: id }, flags }));
}

/** Topics whose records can be deactivated instead of deleted. */
const DEACTIVATABLE_TOPICS: readonly string[] = ['items', 'contacts', 'categories', 'units', 'sites'];

/** `No item with id "nope"`, for the first id in the path that is no UUID. */
function describeMalformedId({ params }: Operation, ids: Readonly<Record<string, string>>): string | undefined {
  for (const [name, schema] of Object.entries(params?.properties ?? {})) {
    const isUuid = schema.kind === 'string' && schema.format === 'uuid';
    if (isUuid && !isId(ids[name])) return `No ${name.replace(/_id$/u, '').replaceAll('_', ' ')} with id "${ids[name] ?? ''}"`;
  }
  return undefined;
}

/** Returns the view of an operation's resource: all fields, and `columns` or all leaf fields as columns. */
export function getView(op: Pick<Operation, 'result'>, columns?: readonly string[]): View {
  const resource = getResourceSchema(op.result);
  return { fields: listFields(resource), columns: columns ?? listLeafFields(resource) };
}

async function* toPages(pages: AsyncIterable<ListBody>, onPage: (body: ListBody) => void): AsyncGenerator<Page> {
  for await (const body of pages) {
    onPage(body);
    yield { rows: body.data, total: body.pagination.total };
  }
}

const omitUndefined = (query: Record<string, string | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
