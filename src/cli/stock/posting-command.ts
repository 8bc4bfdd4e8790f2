/** Commands that create a stock document and post it at once: `stock receive BOLT-M6:100@0.12`, `orders ship SO-000012`. */
import { Args, type Command, Flags } from '@oclif/core';
import { type DocumentType, type StockDocument, createStockDocument } from '../../contract/resources/stock-documents.ts';
import { type OrderModule, getOrder } from '../../contract/resources/orders.ts';
import { operationCommand } from '../command/operation-command.ts';
import { usageError } from '../errors/failure.ts';
import { toFlagName } from '../flag-name.ts';
import { LINE_FORMS, createLineFlag } from '../input/line-flag.ts';
import { formatQuantity } from '../input/order-lines.ts';
import { readOrderWithLines } from '../records/order-with-lines.ts';
import { withWaitIndicator } from '../output/wait-indicator.ts';
import { sendRequest, toRequestParts } from '../records/request.ts';
import type { ApiContext } from '../session/api-session.ts';
import { writeDocument } from './document-actions.ts';
import { getDocument } from './document-output.ts';
import { createAndPostDocument } from './post-document.ts';

interface PostingCommand {
  readonly type: DocumentType;
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly string[];
  /** Fields of the document that are arguments before the lines, with their descriptions. */
  readonly args?: Readonly<Record<string, string>>;
  /** Fields of the document that have a flag, besides date, reference and notes. */
  readonly fields: readonly string[];
  readonly lineDescription: string;
}

const FIELDS = ['documentDate', 'reference', 'notes'];

const draftFlag = {
  draft: Flags.boolean({ description: 'Create a draft, which changes no stock until `stockroom stock documents post`.' }),
  'dry-run': Flags.boolean({ description: 'Show the effect on the stock without changing anything.', exclusive: ['draft'] }),
};

/** Lines are words behind the arguments, or `--line`. */
export function postingCommand({ type, args = {}, fields, lineDescription, ...texts }: PostingCommand): typeof Command {
  const line = LINE_FORMS[type];
  const names = Object.keys(args);
  const isForOrder = names.includes('order_id');
  const argument = (description: string, required: boolean) => Args.string({ required, description });
  return operationCommand(createStockDocument, {
    ...texts,
    args: {
      ...Object.fromEntries(names.map((name) => [name, argument(args[name] ?? '', true)])),
      lines: argument(`${line}, any number of them; the same as --line`, false),
    },
    flags: { ...createLineFlag(line, lineDescription), ...draftFlag },
    without: Object.keys(createStockDocument.body.properties).filter((name) => ![...FIELDS, ...fields].includes(name)),
    takesMoreWords: true,
    async run(context) {
      const { flags, words } = context;
      const lines = [...((flags['line'] as readonly string[] | undefined) ?? []), ...words.slice(names.length)];
      const hasLines = lines.length > 0 || ['data', 'set'].some((name) => name in flags);
      if (!hasLines && !isForOrder) throw usageError(`Missing ${line}`, `Example: \`stockroom ${texts.examples[0] ?? ''}\``);
      const header = Object.fromEntries(names.map((name, at) => [toFlagName(name), words[at]]));
      if (isForOrder) await checkOrder(context, type, words[0] ?? '');
      const own = { ...context, flags: { ...flags, ...header, type, ...(lines.length > 0 && { line: lines }) } };
      if (flags.draft) return createDraft(own);
      const posted = await createAndPostDocument(own);
      if (posted) await reportOrder(own, posted);
    },
  });
}

/** The orders that a type of document fulfils, and the command that does. */
const VERBS: Readonly<Partial<Record<OrderModule, readonly [DocumentType, string, string]>>> = {
  buy: ['receipt', 'a purchase order', 'receive'],
  sell: ['issue', 'a sales order', 'ship'],
  make: ['production', 'a production order', 'produce'],
};

/** Throws a usage error for an order that another command fulfils. */
async function checkOrder(context: ApiContext, type: DocumentType, order: string): Promise<void> {
  const parts = await toRequestParts({ ...context, args: { order_id: order }, flags: {} }, getOrder);
  const { module } = (await sendRequest(context, getOrder, parts)).body.data;
  const [own = type, noun = '', verb = ''] = VERBS[module] ?? [];
  if (own !== type) throw usageError(`${order} is ${noun}`, `Use \`stockroom orders ${verb} ${order}\``);
}

/** Creates a draft and prints it. */
export async function createDraft(context: ApiContext): Promise<void> {
  const { output } = context;
  const reply = await writeDocument(context, createStockDocument);
  if (reply && output.isPlainTable)
    output.printNote(`Post the draft with \`stockroom stock documents post ${getDocument(reply).documentNumber}\``);
}

/** What is left to do of the order of a posted document. */
async function reportOrder(context: ApiContext, { orderId }: StockDocument): Promise<void> {
  const { output } = context;
  if (orderId === null || !output.isPlainTable) return;
  const { body } = await withWaitIndicator(readOrderWithLines(await context.session.connect(), orderId));
  const { orderNumber, status, lines = [] } = body.data;
  const open = lines.filter(({ remainingQuantity }) => remainingQuantity > 0).map((line) => formatQuantity(line, line.remainingQuantity));
  if (open.length > 0) output.printNote(`${orderNumber} is ${status}; left: ${open.join(', ')}`);
  else if (status !== 'completed') output.printNote(`${orderNumber} has nothing left; run \`stockroom orders complete ${orderNumber}\``);
}
