/**
 * Posts documents. The service posts in two requests, submit and approve, but for a command they are one unit: if it fails or is
 * interrupted, a document that existed is the draft that it was, and one that the command created is removed.
 */
import { Errors } from '@oclif/core';
import type { Client, Reply } from '../../client/client.ts';
import { ApiError, Unreachable, isUnsupported } from '../../client/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import {
  type StockDocument,
  approveStockDocument,
  createStockDocument,
  deleteStockDocument,
  submitStockDocument,
  updateStockDocument,
} from '../../contract/resources/stock-documents.ts';
import { type Interrupt, watchInterrupts } from '../session/interrupt.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { ExplainedError, explainError } from '../errors/explained-error.ts';
import { Failure } from '../errors/failure.ts';
import { withWaitIndicator } from '../output/wait-indicator.ts';
import { getView } from '../records/request.ts';
import { getIdempotencyKey } from '../records/write-record.ts';
import type { ApiContext } from '../session/api-session.ts';
import { performAction, previewDocument, sendAction, writeDocument } from './document-actions.ts';
import { getDocument, printDocument } from './document-output.ts';

/** Submits and approves a document, and prints it; with `--dry-run` shows the effects. */
export async function postDocument(context: ApiContext): Promise<void> {
  const { args, flags, output, session } = context;
  if (flags['dry-run'] === true) return void (await performAction(context, approveStockDocument));
  output.validateView(getView(approveStockDocument));
  const client = await session.connect();
  const name = String(args['document_id']);
  const unit: Unit = {
    client,
    name,
    async undo(submitted) {
      if (!submitted) return 'Nothing was changed';
      await recall(client, getDocument(submitted).id);
      return `${name} is a draft again`;
    },
    repair: `recall it with \`stockroom stock documents update ${name} --status draft\``,
    isCreated: false,
  };
  const reply = await withInterrupts(context, (interrupt) => post(context, unit, interrupt));
  await printDocument(context, approveStockDocument, reply);
}

/** Creates a document, posts it and prints it; with `--dry-run` shows the effects. Returns the document, unless nothing was posted. */
export async function createAndPostDocument(context: ApiContext): Promise<StockDocument | undefined> {
  const { flags, session } = context;
  if (flags['dry-run'] === true) {
    await previewDocument(context);
    return undefined;
  }
  const reply = await withInterrupts(context, async (interrupt) => {
    const created = await writeDocument(context, createStockDocument, false);
    if (!created) return undefined;
    const { id, documentNumber: name } = getDocument(created);
    const client = await session.connect();
    const unit: Unit = {
      client,
      name,
      async undo(submitted) {
        if (submitted) await recall(client, id);
        await client.call(deleteStockDocument, { params: { document_id: id } });
        const keep = flags['post'] === true ? 'Without --post' : 'With --draft';
        return `Nothing was created: ${name} was removed. ${keep}, it stays a draft`;
      },
      repair: `remove it with \`stockroom stock documents delete ${name}\``,
      isCreated: true,
    };
    // Counted and posted at once: what happens in between is no reason to count again. Lines in --data may state what they expect.
    const force = flags['line'] === undefined ? {} : { force: true };
    const posting = { ...context, args: { document_id: id }, flags: { 'idempotency-key': flags['idempotency-key'], ...force } };
    return post(posting, unit, interrupt);
  });
  if (!reply) return undefined;
  await printDocument(context, approveStockDocument, reply);
  return getDocument(reply);
}

interface Unit {
  readonly client: Client;
  /** The document in messages. */
  readonly name: string;
  /** Restores what was there before the command. `submitted`: the reply, if the command has submitted the document. Returns the outcome. */
  undo(submitted: Reply | undefined): Promise<string>;
  /** How the user can do that. */
  readonly repair: string;
  /** Whether the document exists only because of this command. */
  readonly isCreated: boolean;
}

/** The command was interrupted between two requests. */
class Stopped extends Error {}

async function post(context: ApiContext, unit: Unit, interrupt: Interrupt): Promise<Reply> {
  const { client, name } = unit;
  const key = getIdempotencyKey(context);
  const check = `see its status with \`stockroom stock documents get ${name}\`, then ${unit.repair}`;
  const send = (op: Operation, idempotencyKey?: string): Promise<Reply | ApiError> => {
    if (interrupt.signal.aborted) throw new Stopped();
    const sent = sendAction(client, context, op, idempotencyKey).catch((error: unknown) => {
      // A service without this extension accepts every count.
      if (!isUnsupported(error, ['force'])) throw error;
      return sendAction(client, { ...context, flags: { ...context.flags, force: undefined } }, op, idempotencyKey);
    });
    return catchWrongState(withWaitIndicator(sent));
  };
  let submitted: Reply | undefined;
  let isSubmissionKnown = false;
  try {
    // A repetition finds the document submitted or approved; only approving it must not be repeated.
    const submission = await send(submitStockDocument);
    isSubmissionKnown = true;
    if (!(submission instanceof ApiError)) submitted = submission;
    const approval = await send(approveStockDocument, key === undefined ? undefined : `${key}:approve`);
    if (!(approval instanceof ApiError)) return approval;
    throw submission instanceof ApiError ? submission : approval;
  } catch (error) {
    if (unit.isCreated && key !== undefined && error instanceof ApiError && error.code === 'NOT_FOUND') throw createUsedKeyError(error);
    // Recalling it would undo a submission that may be an earlier one.
    const isUnknown = !unit.isCreated && !isSubmissionKnown && isLostConnection(error);
    const left = `${name} could not be ${unit.isCreated ? 'removed' : 'recalled'}: ${check}`;
    const outcome = isUnknown ? `${name} may be submitted: ${check}` : await unit.undo(submitted).catch(() => left);
    if (!(error instanceof Stopped)) throw addOutcome(error, outcome);
    context.output.printNote(outcome);
    return Errors.exit(interrupt.exit ?? EXIT.ok);
  }
}

const recall = (client: Client, id: string): Promise<unknown> =>
  client.call(updateStockDocument, { params: { document_id: id }, body: { status: 'draft' } });

/** Adds what is left of the document; after a lost connection that is all to know, because the requests have keys that the user has not. */
function addOutcome(error: unknown, outcome: string): unknown {
  return error instanceof Unreachable ? new ExplainedError(error, { hint: outcome }) : explainError(error, () => ({ outcome }));
}

const isLostConnection = (error: unknown): boolean => error instanceof Unreachable && error.afterSending;

const createUsedKeyError = (cause: ApiError): Failure =>
  new Failure('CONFLICT', 'An earlier attempt with this idempotency key failed, and its document was removed', {
    hint: 'Pass another --idempotency-key to try again',
    cause,
  });

/** Returns an error about the document's state; throws all others. */
const catchWrongState = (request: Promise<Reply>): Promise<Reply | ApiError> =>
  request.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'INVALID_STATE') return error;
    throw error;
  });

/** Runs the requests of a unit; the first Ctrl-C lets the one in progress finish. */
async function withInterrupts<T>({ output }: ApiContext, run: (interrupt: Interrupt) => Promise<T>): Promise<T> {
  const interrupt = watchInterrupts(() => output.printNote('Stopping after the request in progress; Ctrl-C again exits immediately'));
  try {
    return await run(interrupt);
  } finally {
    interrupt.release();
  }
}
