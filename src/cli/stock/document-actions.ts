/** Writes stock documents and changes their status. */
import { Flags } from '@oclif/core';
import type { Client, Reply } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { RECORD_LISTS } from '../../contract/record-lists.ts';
import { getOrder } from '../../contract/resources/orders.ts';
import { createStockDocument } from '../../contract/resources/stock-documents.ts';
import { readLineFlag } from '../input/line-flag.ts';
import { type LineDraft, addIngredients, draftOpenLines, fulfilsOrders, linkToOrderLines, readOrderLines } from '../input/order-lines.ts';
import { readRequestBody, writeFlags } from '../input/request-body.ts';
import { readRows } from '../input/resolve-names.ts';
import { getValueAt } from '../output/fields.ts';
import { getView, sendRequest, toWriteParts } from '../records/request.ts';
import { getIdempotencyKey, submitRecord } from '../records/write-record.ts';
import type { ApiContext } from '../session/api-session.ts';
import { EFFECTS, getDocument, printActionDryRun, printDocument } from './document-output.ts';

type Json = Readonly<Record<string, unknown>>;

/** Flags of the actions that change the status of a document. The service performs the dry run, because it depends on the stock. */
export const actionFlags = {
  'dry-run': Flags.boolean({ description: 'Show the effects on the stock without changing anything.' }),
  'idempotency-key': writeFlags['idempotency-key'],
};

/** Sends a body and prints the document, unless another step does; returns the response, undefined for a dry run. */
export async function writeDocument(context: ApiContext, op: Operation, isPrinted = true): Promise<Reply | undefined> {
  context.output.validateView(getView(op));
  const reply = await submitRecord(context, op, (body) => readLines(context, op, body));
  if (reply && isPrinted) await printDocument(context, op, reply);
  return reply;
}

/** Shows the effects of creating a document and posting it, without changing anything. */
export async function previewDocument(context: ApiContext): Promise<void> {
  context.output.validateView(EFFECTS);
  const body = await readRequestBody(createStockDocument, context.flags);
  const lines = await readLines(context, createStockDocument, body);
  const parts = await toWriteParts(context, createStockDocument, { ...body, ...lines });
  await printActionDryRun(context.output, await sendRequest(context, createStockDocument, parts));
}

/** The lines of `--line`, in a new document linked to the lines of its order. */
async function readLines(context: ApiContext, op: Operation, body: Json): Promise<Json> {
  const given = readLineFlag(context.flags, body, body['type']);
  return op === createStockDocument ? { ...given, ...(await linkToOrder(context, op, { ...body, ...given })) } : given;
}

/** The lines of a document for an order: those of `--line` with the order lines that they fulfil or return; without any, to fulfil all that is open. */
async function linkToOrder(context: ApiContext, op: Operation, body: Json): Promise<Json> {
  const { flags, session } = context;
  const isReturn = typeof body['returnOf'] === 'string' && body['returnOf'] !== '';
  const field = isReturn ? 'returnOf' : 'orderId';
  const { [field]: order, type, lines } = body;
  const posting = isReturn ? 'return' : fulfilsOrders(type) ? type : undefined;
  const hasOwnLines = flags['line'] === undefined && (isReturn || lines !== undefined || flags['data'] !== undefined);
  if (typeof order !== 'string' || order === '' || posting === undefined || hasOwnLines) return {};
  const parts = await toWriteParts(context, op, { [field]: order, ...(lines === undefined ? {} : { lines }) });
  const resolved = parts.body as { readonly [id in typeof field]: string } & { readonly lines?: readonly LineDraft[] };
  const orderLines = await readOrderLines(await session.connect(), resolved[field]);
  if (!resolved.lines) return { [field]: resolved[field], lines: draftOpenLines(posting, orderLines, order) };
  const linked = linkToOrderLines(posting, resolved.lines, orderLines, order, listItemNames(lines));
  if (posting !== 'production') return { [field]: resolved[field], lines: linked };
  return { [field]: resolved[field], lines: addIngredients(linked, orderLines, await readPrecisions(session)) };
}

/** The decimal places of quantities by the id of their unit; empty if the key may not read units, or the service has no list of them. */
async function readPrecisions(session: ApiContext['session']): Promise<ReadonlyMap<string, number>> {
  try {
    const units = await readRows(await session.connectToList(RECORD_LISTS.unit), { query: {}, limit: Infinity });
    return new Map(units.map((unit) => [unit.id, Number(getValueAt(unit, 'precision'))]));
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return new Map();
    throw error;
  }
}

const listItemNames = (lines: unknown): readonly string[] => (lines as readonly LineDraft[]).map(({ itemId }) => String(itemId));

/** Performs an action on a document, or with `--dry-run` shows its effects. Returns the response. */
export async function performAction(context: ApiContext, op: Operation): Promise<Reply> {
  const { flags, output, session } = context;
  const isDry = flags['dry-run'] === true;
  output.validateView(isDry ? EFFECTS : getView(op));
  const reply = await sendAction(await session.connect(), context, op, getIdempotencyKey(context));
  await (isDry ? printActionDryRun(output, reply) : printDocument(context, op, reply));
  return reply;
}

/** Says that the order of a cancelled document is open again. For people only: it takes another request. */
export async function noteReopenedOrder({ flags, output, session }: ApiContext, reply: Reply): Promise<void> {
  const { orderId, lines = [], updatedAt } = getDocument(reply);
  if (output.terminalWidth === undefined || !output.isPlainTable || orderId === null || lines.every((line) => line.orderLineId === null))
    return;
  const { data } = (await (await session.connect()).perform(getOrder, { params: { order_id: orderId } })).body;
  if (flags['dry-run'] === true) {
    if (data.status === 'completed') output.printNote(`${data.orderNumber} would be in progress again`);
    // It has the time of the order only if the order changed with it.
  } else if (data.status === 'in_progress' && data.updatedAt === updatedAt)
    output.printNote(`${data.orderNumber} is in progress: what the document fulfilled is open again`);
}

export async function sendAction(client: Client, context: ApiContext, op: Operation, idempotencyKey: string | undefined): Promise<Reply> {
  const { flags } = context;
  const parts = await toWriteParts(context, op, await readRequestBody(op, flags));
  // The key is for the request that follows the dry run.
  return client.perform(op, parts, flags['dry-run'] === true ? {} : { idempotencyKey });
}
