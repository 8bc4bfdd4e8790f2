/** What commands do with an operation: list, show, write, delete. Subclasses say to whom they talk. */
import { Flags, type Interfaces } from '@oclif/core';
import type { Client, Reply, Trace } from '../client/client.ts';
import { type ListBody, pagesOf } from '../client/pages.ts';
import { type LooseParts, requestOf } from '../client/request.ts';
import type { RetryPolicy } from '../client/retry.ts';
import type { Target } from '../client/target.ts';
import { PAGE_SIZE_MAX } from '../contract/limits.ts';
import type { Operation } from '../contract/operation.ts';
import { dataDirectory } from '../contract/places.ts';
import { confirm } from './ask.ts';
import { bodyOf, saysNothing } from './body.ts';
import { StockroomCommand } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { Failure, usage } from './failure.ts';
import { fieldsOf, leavesOf, resourceOf } from './fields.ts';
import { globalFlags, maxWaitFlag, profileFlag } from './flags.ts';
import { instantFlags, queryOf } from './operation-flags.ts';
import type { Page, View } from './printer.ts';
import { instantOf } from './since.ts';
import { tellWhile, waitVisibly } from './waiting.ts';

/** What `parse` returns, as far as it is needed here. */
export interface Parsed {
  readonly args: Readonly<Record<string, unknown>>;
  readonly flags: Readonly<Record<string, unknown>>;
}

/** How a list differs from others. */
type Manner = Pick<View, 'derived' | 'sparse' | 'whole'>;

/** What a command adds to the body that was typed; it may depend on that. */
type More = Readonly<Record<string, unknown>> | ((body: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>);

export const yesFlag = {
  yes: Flags.boolean({ char: 'y', description: 'Do not ask. Nobody is asked in a pipe, in CI, or with --no-input either.' }),
};

export abstract class ServiceCommand extends StockroomCommand {
  static override baseFlags: Interfaces.FlagInput = { ...globalFlags, profile: profileFlag, 'max-wait': maxWaitFlag };

  /** The client for this command's flags; made when the first request is due. */
  protected abstract connect(): Promise<Client>;

  /** What time it is for the service, whose clock may have been moved. */
  protected abstract serviceTime(): Promise<Date>;

  /** Query parameters that come from the surroundings, such as the tenant. */
  protected surroundings(_op: Operation): Record<string, string | undefined> {
    return {};
  }

  /** Prints a list: one page, or with `--limit` and `--all` as many as it takes. */
  protected async list(op: Operation, parsed: Parsed, columns: readonly string[], manner: Manner = {}): Promise<void> {
    const {
      all,
      limit,
      page,
      'page-size': pageSize,
    } = parsed.flags as { all?: boolean; limit?: number; page?: number; 'page-size'?: number };
    const parts = this.partsOf(op, await this.inTime(op, parsed));
    const view = this.checked({ ...viewOf(op, columns), ...manner });
    const client = await this.connect();
    const isPaged = op.query?.properties['page'] !== undefined;
    if (!isPaged) {
      const reply = (await this.awaiting(client.perform(op, parts))) as Reply as Reply<{ data: readonly unknown[] }>;
      const { count } = await this.printList(reply.body, view, reply.text);
      if (count === 0 && this.format !== 'json') this.tellNothing();
      return;
    }
    if (all === true || (limit !== undefined && limit > PAGE_SIZE_MAX)) {
      let total = 0;
      const pages = mapPages(pagesOf(client, op, parts, limit), (body) => (total = body.pagination.total));
      const shown = await this.printPages(pages, view);
      this.tellHidden(shown);
      this.tellCount(shown.count, total, 1);
      return;
    }
    const query = { ...parts.query, page, page_size: pageSize ?? limit };
    const reply = (await this.awaiting(client.perform(op, { ...parts, query }))) as Reply as Reply<ListBody>;
    const shown = await this.printList(reply.body, view, reply.text);
    const { pagination } = reply.body;
    if (this.format !== 'json') this.tellCount(shown.count, pagination.total, (pagination.page - 1) * pagination.pageSize + 1);
  }

  /** Prints one resource. */
  protected async show(op: Operation, parsed: Parsed): Promise<Reply> {
    const view = this.checked(viewOf(op));
    const client = await this.connect();
    const reply = (await this.awaiting(client.perform(op, this.partsOf(op, parsed)))) as Reply;
    await this.printOne(reply.body as { data: unknown }, view, reply.text);
    return reply;
  }

  /** Sends a body and prints what came of it; with `--dry-run` prints the request instead. */
  protected async write(op: Operation, parsed: Parsed, more: More = {}): Promise<Reply | undefined> {
    const view = this.checked(viewOf(op));
    const reply = await this.submit(op, parsed, more);
    if (reply) await this.printOne(reply.body as { data: unknown }, view, reply.text);
    return reply;
  }

  /** The same without printing the answer. Undefined: it was a dry run. */
  protected async submit(op: Operation, parsed: Parsed, more: More = {}): Promise<Reply | undefined> {
    const typed = await bodyOf(op, parsed.flags);
    const body = { ...typed, ...(typeof more === 'function' ? await more(typed) : more) };
    if (op.method === 'PATCH' && saysNothing(body))
      throw usage('there is nothing to change', 'name at least one field with its flag, --set or --data');
    const parts = { ...this.partsOf(op, parsed), body };
    if (parsed.flags['dry-run'] === true) {
      await this.tellDryRun(op, parts);
      return undefined;
    }
    const key = parsed.flags['idempotency-key'] as string | undefined;
    const client = await this.connect();
    return (await this.awaiting(client.perform(op, parts, key === undefined ? {} : { idempotencyKey: key }))) as Reply;
  }

  /** Deletes, after asking a person who sits at the terminal. `what` names the thing: `item`. */
  protected async remove(op: Operation, parsed: Parsed, what: string): Promise<void> {
    const parts = this.partsOf(op, parsed);
    const id = Object.values(parsed.args).at(-1) as string;
    if (parsed.flags['dry-run'] === true) {
      await this.tellDryRun(op, parts);
      return;
    }
    if (parsed.flags['yes'] !== true && this.canAsk && !(await confirm(`Delete ${what} ${id}?`))) {
      throw new Failure('cancelled', 'nothing was deleted', { exit: EXIT.usage });
    }
    const client = await this.connect();
    const reply = (await this.awaiting(client.perform(op, parts))) as Reply;
    await this.out.write(this.format === 'json' && reply.text !== '' ? `${reply.text}\n` : '');
    this.note(`deleted ${what} ${id}`);
  }

  /** The same flags, with a timestamp where a point in time of the query was named in another way, such as `2h` ago. */
  protected async inTime(op: Operation, { args, flags }: Parsed): Promise<Parsed> {
    const instants: Record<string, string> = {};
    for (const flag of instantFlags(op.query?.properties ?? {})) {
      const text = flags[flag];
      if (typeof text !== 'string') continue;
      instants[flag] = await instantOf(text, () => this.awaiting(this.serviceTime()), `--${flag}`);
    }
    return { args, flags: { ...flags, ...instants } };
  }

  protected partsOf(op: Operation, { args, flags }: Parsed): LooseParts & { query: Record<string, string | undefined> } {
    const names = Object.keys(op.params?.properties ?? {});
    // Mostly a variable of a script that was not set.
    const empty = names.find((name) => args[name] === '');
    if (empty !== undefined) throw usage(`${empty.toUpperCase()} is empty`);
    return {
      params: Object.fromEntries(names.map((name) => [name, String(args[name])])),
      query: { ...this.surroundings(op), ...definedOf(queryOf(op, flags)) },
    };
  }

  /** The data directory as it was typed, or that of a profile, which commands about the daemon do not know of. */
  protected dataDirToName(target: Target | undefined): string | undefined {
    const typed = (this.globals as { 'data-dir'?: string })['data-dir'];
    const found = target?.dataDir.value;
    return typed ?? (found === dataDirectory(process.env) ? undefined : found);
  }

  /** Tells a person for how long an answer has been waited for. */
  protected awaiting<T>(answer: Promise<T>): Promise<T> {
    return tellWhile(answer, 'waiting for the answer');
  }

  protected retryPolicy(): RetryPolicy {
    const seconds = (this.globals as { 'max-wait'?: number })['max-wait'] ?? 0;
    return { maxWaitMs: seconds * 1000, wait: (wait) => waitVisibly(wait) };
  }

  /** For `--verbose`: one line per exchange. */
  protected tracer(address: string): { onTrace?: (trace: Trace) => void } {
    if (this.globals.verbose !== true) return {};
    const paint = this.paintFor(process.stderr);
    return {
      onTrace: ({ method, path, status, milliseconds, idempotencyKey }) => {
        const key = idempotencyKey === null ? '' : `  idempotency key ${idempotencyKey}`;
        this.note(
          paint(
            'dim',
            `${method} ${address}${path}  ${status === null ? 'no answer' : String(status)}  ${milliseconds.toFixed(0)} ms${key}`,
          ),
        );
      },
    };
  }

  private async tellDryRun(op: Operation, parts: LooseParts): Promise<void> {
    const { method, path, body } = requestOf(op, parts);
    const json = `{"method":"${method}","path":${JSON.stringify(path)},"body":${body ?? 'null'}}`;
    await this.printText(json, `${method} ${path}\n${body === undefined ? '' : `${body}\n`}`);
    this.note('dry run: nothing was sent');
  }

  /** Never a silent cut: how many rows of how many, and how to get the rest. */
  private tellCount(count: number, total: number, first: number): void {
    const paint = this.paintFor(process.stderr);
    if (total === 0) this.tellNothing();
    else if (count < total) {
      const range = first === 1 ? grouped(count) : count === 0 ? 'none' : `${grouped(first)}–${grouped(first + count - 1)}`;
      this.note(paint('dim', `${range} of ${grouped(total)} — use --all for every row`));
    } else if (process.stdout.isTTY) this.note(paint('dim', `${grouped(total)} ${total === 1 ? 'row' : 'rows'}`));
  }

  /** A table of no rows has no header either: silence would look like a fault. */
  private tellNothing(): void {
    if (process.stdout.isTTY) this.note(this.paintFor(process.stderr)('dim', 'nothing found'));
  }
}

/** The view of an operation's resource. */
export function viewOf(op: Pick<Operation, 'result'>, columns?: readonly string[]): View {
  const resource = resourceOf(op.result);
  return { fields: fieldsOf(resource), columns: columns ?? leavesOf(resource) };
}

async function* mapPages(pages: AsyncIterable<ListBody>, look: (body: ListBody) => void): AsyncGenerator<Page> {
  for await (const body of pages) {
    look(body);
    yield { rows: body.data, total: body.pagination.total };
  }
}

const definedOf = (query: Record<string, string | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));

/** 1204 → `1,204`; without Intl, whose loading costs more than the request. */
const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
