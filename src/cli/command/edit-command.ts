/** Commands that edit a record in the user's editor. */
import type { Command } from '@oclif/core';
import type { Operation } from '../../contract/operation.ts';
import { editRecord } from '../records/edit-record.ts';
import { operationCommand } from './operation-command.ts';

/** The command for the records that `get` reads and `update` changes. */
export const editCommand = (get: Operation, update: Operation, examples: readonly string[]): typeof Command =>
  operationCommand(update, {
    summary: `Edit ${get.summary.replace(/^(?:Get|Show) /u, '')} in your editor`,
    description:
      'Opens the fields that can be changed as YAML in VISUAL or EDITOR, and sends those that differ afterwards, unless someone else has changed the record meanwhile.',
    without: Object.keys(update.body?.properties ?? {}),
    examples,
    run: (context) => editRecord(context, get, update),
  });
