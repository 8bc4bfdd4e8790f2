/** Writes one line of a stock document: an order line by its number. */
import { addStockLine } from '../../contract/resources/stock-lines.ts';
import type { Operation } from '../../contract/operation.ts';
import { getStockDocument } from '../../contract/resources/stock-documents.ts';
import { usageError } from '../errors/failure.ts';
import { findOrderLine, findPart, readOrderLines } from '../input/order-lines.ts';
import { toRequestParts } from '../records/request.ts';
import { writeRecord } from '../records/write-record.ts';
import type { ApiContext } from '../session/api-session.ts';

export async function writeStockLine(context: ApiContext, op: Operation): Promise<void> {
  await writeRecord(context, op, async (body) => {
    const reference = body['orderLineId'];
    return typeof reference === 'string' && reference !== '' ? readOrderLineFields(context, op, body, reference) : {};
  });
}

/** The id of the order line; a new line also takes its item and its open quantity from it. */
async function readOrderLineFields(context: ApiContext, op: Operation, body: Readonly<Record<string, unknown>>, reference: string) {
  const { params } = await toRequestParts(context, op);
  const client = await context.session.connect();
  const document = (await client.perform(getStockDocument, { params: { document_id: params['document_id'] ?? '' } })).body.data;
  if (document.orderId === null)
    throw usageError(
      `${document.documentNumber} is not for an order, so its lines have no order line`,
      `Set the order with \`stockroom stock documents update ${document.documentNumber} --order-id ORDER\``,
    );
  const line = findOrderLine(await readOrderLines(client, document.orderId), reference);
  if (op !== addStockLine) return { ...body, orderLineId: line.id };
  const part = findPart(line, body['itemId']);
  const defaults = { itemId: line.itemId, quantity: (part ?? line).remainingQuantity, ...(part ? { itemId: part.itemId } : {}) };
  return { ...defaults, ...body, orderLineId: line.id };
}
