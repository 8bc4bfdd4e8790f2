/** Commands of one operation of the contract: arguments, flags and texts derive from it. */
import type { Command, Interfaces } from '@oclif/core';
import type { Operation } from '../../contract/operation.ts';
import { tenantFlag, yesFlag } from '../input/common-flags.ts';
import { bodyFlags, listFilters, pagingFlags, paramArgs, queryFlags } from '../input/operation-flags.ts';
import { writeFlags } from '../input/request-body.ts';
import { type DeleteContext, deleteRecords } from '../records/delete-records.ts';
import { type ListOptions, listRecords } from '../records/list-records.ts';
import { showRecord, writeRecord } from '../records/write-record.ts';
import { type AdminContext, adminAccess } from '../session/admin-session.ts';
import { type ApiContext, apiAccess } from '../session/api-session.ts';
import { type None, defineCommand } from './define-command.ts';

/** What the command of an operation works with: of the admin API or of /v1, by its path. */
type ContextOf<O extends Operation, F, A> = (O['path'] extends `/admin/${string}` ? AdminContext : ApiContext) & {
  readonly args: Interfaces.InferredArgs<A>;
  readonly flags: Interfaces.InferredFlags<F>;
  readonly words: readonly string[];
};

interface OperationCommand<O extends Operation, F extends object, A extends object> extends ListOptions {
  /** Without the name of the program: `items list --search bolt`. */
  readonly examples: readonly string[];
  /** The default columns of a list, most important first. */
  readonly columns?: readonly string[];
  /** Instead of those of the operation, for what only the terminal has. */
  readonly summary?: string;
  readonly description?: string;
  /** What a deletion deletes: `stock line`. Default: the topic of the command in the singular. */
  readonly noun?: string;
  /** Instead of the parameters of the path. */
  readonly args?: A;
  /** In addition to those of the operation. */
  readonly flags?: F;
  /** Fields of the body, or parameters of a GET, that have no flag of their own. */
  readonly without?: readonly string[];
  readonly hiddenAliases?: string[];
  /** Whether it takes more words than it has arguments. Default: a deletion with one argument. */
  readonly takesMoreWords?: boolean;
  /** Instead of printing the list or the record of a GET, deleting records, or writing one. */
  readonly run?: (context: ContextOf<O, F, A>) => Promise<unknown>;
}

/** Makes the command of an operation. */
export function operationCommand<const O extends Operation, F extends object = None, A extends object = None>(
  op: O,
  {
    examples,
    columns,
    summary,
    description,
    noun,
    args,
    flags,
    without,
    hiddenAliases = [],
    takesMoreWords,
    run,
    ...options
  }: OperationCommand<O, F, A>,
): typeof Command {
  const runDefault = (context: DeleteContext): Promise<unknown> => {
    if (columns) return listRecords(context, op, columns, options);
    if (op.method === 'GET') return showRecord(context, op);
    if (op.method === 'DELETE') return deleteRecords(context, op, noun ?? context.command.split(' ')[0]?.replace(/s$/u, '') ?? '');
    return writeRecord(context, op);
  };
  const definition = {
    // An API gets what a terminal shows.
    summary: summary ?? op.summary.replace(/^Get\b/u, 'Show'),
    description: description ?? op.description,
    args: (args ?? paramArgs(op)) as Interfaces.ArgInput<Record<string, string>>,
    flags: getOperationFlags(op, flags, without),
    takesMoreWords: takesMoreWords ?? (op.method === 'DELETE' && Object.keys(op.params?.properties ?? {}).length === 1),
    hiddenAliases,
    examples,
    // The path chooses the session, so that the context has the type that `run` expects.
    run: (context: DeleteContext): Promise<unknown> => (run ? run(context as ContextOf<O, F, A>) : runDefault(context)),
  };
  return op.path.startsWith('/admin/')
    ? defineCommand({ ...definition, access: adminAccess })
    : defineCommand({ ...definition, access: apiAccess });
}

/** Flags of the body, then those of the command, then those of every write. */
function getOperationFlags(op: Operation, more: object | undefined, without: readonly string[] = []): Interfaces.FlagInput {
  const { tenant, page } = op.query?.properties ?? {};
  const tenantFlags = tenant && { tenant: tenantFlag };
  const filters = () => queryFlags(listFilters(op, ['tenant', ...without]));
  if (op.method === 'GET') return { ...filters(), ...(page && pagingFlags(op)), ...more, ...tenantFlags };
  if (op.method === 'DELETE') return { ...yesFlag, 'dry-run': writeFlags['dry-run'], ...more, ...tenantFlags };
  const hasFields = Object.keys(op.body?.properties ?? {}).some((name) => !without.includes(name));
  const ownFlags = hasFields ? writeFlags : { 'dry-run': writeFlags['dry-run'] };
  // Those of the command come first, and override.
  return { ...bodyFlags(op, without), ...more, ...ownFlags, ...more, ...tenantFlags };
}
