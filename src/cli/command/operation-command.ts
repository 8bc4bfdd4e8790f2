/** Commands that are one operation of the contract: arguments, flags and texts derive from it. */
import type { Command, Interfaces } from '@oclif/core';
import type { Operation } from '../../contract/operation.ts';
import { tenantFlag, yesFlag } from '../input/common-flags.ts';
import { bodyFlags, listFlags, paramArgs, queryFlags } from '../input/operation-flags.ts';
import { writeFlags } from '../input/request-body.ts';
import { type DeleteContext, deleteRecords } from '../records/delete-records.ts';
import { type ListOptions, listRecords } from '../records/list-records.ts';
import { showRecord, writeRecord } from '../records/write-record.ts';
import { adminAccess } from '../session/admin-session.ts';
import { apiAccess } from '../session/api-session.ts';
import { defineCommand } from './define-command.ts';

interface OperationCommand extends ListOptions {
  /** Without the name of the program: `items list --search bolt`. */
  readonly examples: readonly string[];
  /** The default columns of a list, most important first. */
  readonly columns?: readonly string[];
  /** Instead of that of the operation, for what only the terminal has. */
  readonly description?: string;
  /** What a deletion deletes: `stock line`. Default: the topic of the command in the singular. */
  readonly noun?: string;
}

/** Makes the command of an operation: prints the list or the record of a GET, deletes records, or writes one. */
export function operationCommand(op: Operation, { examples, columns, description, noun, ...options }: OperationCommand): typeof Command {
  const run = async (context: DeleteContext): Promise<void> => {
    if (columns) await listRecords(context, op, columns, options);
    else if (op.method === 'GET') await showRecord(context, op);
    else if (op.method === 'DELETE') await deleteRecords(context, op, noun ?? context.command.split(' ')[0]?.replace(/s$/u, '') ?? '');
    else await writeRecord(context, op);
  };
  const definition = {
    summary: getSummary(op),
    description: description ?? op.description,
    args: paramArgs(op),
    flags: getOperationFlags(op),
    takesMoreWords: op.method === 'DELETE' && Object.keys(op.params?.properties ?? {}).length === 1,
    examples,
    run,
  };
  return isAdminOperation(op) ? defineCommand({ ...definition, access: adminAccess }) : defineCommand({ ...definition, access: apiAccess });
}

const isAdminOperation = ({ path }: Operation): boolean => path.startsWith('/admin/');

/** An API gets what a terminal shows. */
export const getSummary = ({ summary }: Operation): string => summary.replace(/^Get\b/u, 'Show');

/** The flags of a command for an operation. */
export function getOperationFlags(op: Operation): Interfaces.FlagInput {
  const { tenant, ...filters } = op.query?.properties ?? {};
  return { ...getOwnFlags(op, filters), ...(tenant && { tenant: tenantFlag }) };
}

function getOwnFlags(op: Operation, filters: Parameters<typeof queryFlags>[0]): Interfaces.FlagInput {
  if (op.method === 'GET') return 'page' in filters ? listFlags(op) : queryFlags(filters);
  if (op.method === 'DELETE') return { ...yesFlag, 'dry-run': writeFlags['dry-run'] };
  if (Object.keys(op.body?.properties ?? {}).length === 0) return { 'dry-run': writeFlags['dry-run'] };
  return { ...bodyFlags(op), ...writeFlags };
}
