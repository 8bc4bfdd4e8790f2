/** Base of the commands for stock documents: prints lines or stock effects as a table below the document, and dry runs of actions. */
import { Flags } from '@oclif/core';
import type { Client, Reply } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import {
  type StockDocument,
  type StockEffect,
  approveStockDocument,
  createStockDocument,
  stockEffect,
  submitStockDocument,
} from '../../contract/resources/stock-documents.ts';
import { type StockLine, stockLine } from '../../contract/resources/stock-lines.ts';
import { ApiCommand } from './api-command.ts';
import type { HintContext } from '../errors/hints.ts';
import {
  type LineDraft,
  draftOpenLines,
  fulfilsOrders,
  linkToOrderLines,
  linkToReturnedLines,
  readOrderLines,
} from '../input/order-lines.ts';
import { readRequestBody, writeFlags } from '../input/request-body.ts';
import { listFields, getValueAt } from '../output/fields.ts';
import type { View } from '../output/printer.ts';
import { type Parsed, getView } from './service-command.ts';
import { checkLinesGivenOnce, toLineBody, parseLine } from '../input/line-flag.ts';

/** Columns of lines; most types of documents fill only some of them. */
export const LINE_COLUMNS = [
  'id',
  'lineNumber',
  'item.sku',
  'quantity',
  'unit.symbol',
  'countedQuantity',
  'expectedQuantity',
  'direction',
  'item.name',
  'unitCost',
  'postedQuantity',
  'onHandBefore',
  'onHandAfter',
  'postedUnitCost',
  'postedValue',
  'reversedValue',
  'postedVariance',
  'reversedVariance',
  'notes',
];

/** Columns of the lines within a document, where the line number identifies a line. */
const DOCUMENT_LINE_COLUMNS = [
  'lineNumber',
  'item.name',
  ...LINE_COLUMNS.filter((column) => !['id', 'lineNumber', 'item.name'].includes(column)),
  'id',
];

/** Columns shown after a write; `get` shows all. */
const SUMMARY_COLUMNS = [
  'id',
  'documentNumber',
  'type',
  'status',
  'site.name',
  'toSite.name',
  'contact.name',
  'order.orderNumber',
  'documentDate',
  'reference',
  'reason',
  'totalCost',
  'totalVariance',
  'cancelReason',
];

/** Rarely anything but 0. */
const VARIANCE_COLUMNS = ['postedVariance', 'reversedVariance', 'totalVariance'];
const isShown = (row: unknown, column: string): boolean => {
  const value = getValueAt(row, column) ?? null;
  return value !== null && !(value === 0 && VARIANCE_COLUMNS.includes(column));
};

/** Shown as tables below the document, and as `orderId`. */
const SHOWN_SEPARATELY = ['lines', 'stockEffects', 'order.id'];

const EFFECT_COLUMNS = ['item.name', 'item.sku', 'site.name', 'quantityDelta', 'onHandAfter', 'itemId', 'siteId'];
const EFFECTS: View = { fields: [...listFields(stockEffect), 'item.name', 'item.sku', 'site.name'], columns: EFFECT_COLUMNS };

/** Flags of the actions that change the status of a document. The service performs the dry run, because it depends on the stock. */
export const actionFlags = {
  'dry-run': Flags.boolean({ description: 'Show the effects on the stock without changing anything.' }),
  'idempotency-key': writeFlags['idempotency-key'],
};

/** Flags of the commands that approve a document. */
export const approvalFlags = {
  force: Flags.boolean({ description: 'Post a count even if the stock has changed since its lines were created.' }),
};

export abstract class StockDocumentCommand extends ApiCommand {
  /** What to do about a document that could be written, but not posted. */
  protected advice: string | undefined;

  /** Prints a document; in table format its stock effects, or else its lines, follow as a table. */
  protected async printDocument(op: Operation, reply: Reply, isBrief: boolean): Promise<void> {
    const document = getDocument(reply);
    const { fields, columns } = getView(op);
    const own = columns.filter((column) => !SHOWN_SEPARATELY.includes(column));
    const asTable = this.format === 'table' && this.globals.columns === undefined;
    // Most fields are null until the document is approved.
    const shown = asTable ? (isBrief ? SUMMARY_COLUMNS : own).filter((column) => isShown(document, column)) : own;
    await this.printOne(reply.body as { data: unknown }, { fields, columns: shown }, reply.text);
    if (!asTable) return;
    const effects = toEffectRows(document);
    if (effects.length > 0) await this.printTableBelow(effects, EFFECTS);
    else if (document.lines !== undefined && document.lines.length > 0) await this.printLines(document.lines);
  }

  /** Sends a body and prints the document, unless another step does; returns the response, undefined for a dry run. */
  protected async writeDocument(op: Operation, parsed: Parsed, isPrinted = true): Promise<Reply | undefined> {
    this.validateOutput(getView(op));
    const reply = await this.submit(op, parsed, async (body) => {
      const given = parseLines(parsed, body);
      return op === createStockDocument ? { ...given, ...(await this.linkToOrder(op, parsed, { ...body, ...given })) } : given;
    });
    if (reply && isPrinted) await this.printDocument(op, reply, true);
    return reply;
  }

  /** The lines of a document for an order: those of `--line` with the order lines that they fulfil, without any all that is open. */
  private async linkToOrder(
    op: Operation,
    parsed: Parsed,
    body: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (typeof body['returnOf'] === 'string' && body['returnOf'] !== '')
      return this.linkToReturnedOrder(op, parsed, body, body['returnOf']);
    const { orderId: order, type, lines } = body;
    const hasOwnLines = parsed.flags['line'] === undefined && (lines !== undefined || parsed.flags['data'] !== undefined);
    if (typeof order !== 'string' || order === '' || !fulfilsOrders(type) || hasOwnLines) return {};
    const resolved = (await this.toWriteParts(op, parsed, { orderId: order, ...(lines === undefined ? {} : { lines }) })).body as {
      readonly orderId: string;
      readonly lines?: readonly LineDraft[];
    };
    const orderLines = await readOrderLines(await this.connect(), resolved.orderId);
    const linked = resolved.lines
      ? linkToOrderLines(
          type,
          resolved.lines,
          orderLines,
          order,
          (lines as readonly LineDraft[]).map(({ itemId }) => String(itemId)),
        )
      : draftOpenLines(type, orderLines, order);
    return { orderId: resolved.orderId, lines: linked };
  }

  /** The lines of `--line` with the order lines whose goods are returned. */
  private async linkToReturnedOrder(
    op: Operation,
    parsed: Parsed,
    { lines }: Readonly<Record<string, unknown>>,
    order: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (parsed.flags['line'] === undefined) return {};
    const resolved = (await this.toWriteParts(op, parsed, { returnOf: order, lines })).body as {
      readonly returnOf: string;
      readonly lines: readonly LineDraft[];
    };
    const names = (lines as readonly LineDraft[]).map(({ itemId }) => String(itemId));
    const orderLines = await readOrderLines(await this.connect(), resolved.returnOf);
    return { returnOf: resolved.returnOf, lines: linkToReturnedLines(resolved.lines, orderLines, order, names) };
  }

  /** Submits and approves a document, and prints it; with `--dry-run` shows the effects. */
  protected async postDocument(parsed: Parsed): Promise<void> {
    const isDry = this.validateActionColumns(approveStockDocument, parsed);
    const client = await this.connect();
    const key = parsed.flags['idempotency-key'] as string | undefined;
    // Each of the two requests needs its own key.
    const toStepKey = (step: string) => (key === undefined ? undefined : `${key}:${step}`);
    const submitted = await catchWrongState(this.sendAction(client, submitStockDocument, parsed, toStepKey('submit')));
    const draftAdvice = this.advice;
    // A document in the wrong state may already be submitted.
    if (!isDry) this.advice = buildAdvice(String(parsed.args['document_id']));
    const approved = await catchWrongState(this.sendAction(client, approveStockDocument, parsed, toStepKey('approve')));
    if (!(approved instanceof ApiError)) {
      await (isDry ? this.printDryRun(approved) : this.printDocument(approveStockDocument, approved, true));
      return;
    }
    if (submitted instanceof ApiError) this.advice = draftAdvice;
    throw submitted instanceof ApiError ? submitted : approved;
  }

  protected override getHintContext(): HintContext {
    return { ...super.getHintContext(), refusalHint: this.advice };
  }

  /** Performs an action on a document, or with `--dry-run` shows its effects. */
  protected async performAction(op: Operation, parsed: Parsed): Promise<void> {
    const isDry = this.validateActionColumns(op, parsed);
    const reply = await this.sendAction(await this.connect(), op, parsed, parsed.flags['idempotency-key'] as string | undefined);
    await (isDry ? this.printDryRun(reply) : this.printDocument(op, reply, true));
  }

  /** Fails if `--columns` names an unknown column. Returns whether this is a dry run. */
  protected validateActionColumns(op: Operation, { flags }: Parsed): boolean {
    const isDry = flags['dry-run'] === true;
    this.validateOutput(isDry ? EFFECTS : getView(op));
    return isDry;
  }

  protected async sendAction(client: Client, op: Operation, parsed: Parsed, idempotencyKey: string | undefined): Promise<Reply> {
    const parts = await this.toWriteParts(op, parsed, await readRequestBody(op, parsed.flags));
    // The key is for the request that follows the dry run.
    const options = idempotencyKey === undefined || parsed.flags['dry-run'] === true ? {} : { idempotencyKey };
    return client.perform(op, parts, options);
  }

  /** Prints the stock effects of a dry run, or the lines if there are none. */
  protected async printDryRun(reply: Reply): Promise<void> {
    const document = getDocument(reply);
    const mark = `${this.getPaint(this.format === 'table' ? process.stdout : process.stderr)('bold', 'DRY RUN')}  ${formatOutcome(document)}`;
    if (this.format === 'table') await this.out.write(`${mark}\n`);
    else this.printNote(mark);
    const effects = toEffectRows(document);
    if (this.format === 'json') await this.printText(reply.text, '');
    else if (effects.length === 0 && this.format === 'table') await this.printLines(document.lines ?? []);
    else if (this.format === 'table') await this.printTableBelow(effects, EFFECTS);
    else await this.printList({ data: effects }, EFFECTS);
  }

  private async printLines(lines: readonly StockLine[]): Promise<void> {
    if (lines.length > 0)
      await this.printTableBelow(lines, {
        fields: listFields(stockLine),
        columns: DOCUMENT_LINE_COLUMNS.filter(
          (column) => !VARIANCE_COLUMNS.includes(column) || lines.some((line) => isShown(line, column)),
        ),
        hiddenIfEmpty: DOCUMENT_LINE_COLUMNS,
      });
  }

  private async printTableBelow(rows: readonly unknown[], view: View): Promise<void> {
    await this.out.write('\n');
    await this.printList({ data: rows }, view);
  }
}

/** Parses `--line` to the lines of a body; an empty object without the flag. */
function parseLines({ flags }: Parsed, body: Readonly<Record<string, unknown>>): { lines?: readonly LineDraft[] } {
  const texts = flags['line'] as readonly string[] | undefined;
  if (texts === undefined) return {};
  checkLinesGivenOnce(body);
  return { lines: texts.map((text) => toLineBody(body['type'], parseLine(text, 'COST'))) };
}

const WRONG_STATE: ErrorCode = 'INVALID_STATE';

/** Returns an error about the document's state; throws all others. */
const catchWrongState = <T>(request: Promise<T>): Promise<T | ApiError> =>
  request.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === WRONG_STATE) return error;
    throw error;
  });

const buildAdvice = (id: string): string =>
  `The document stays submitted. Approve it later with \`stockroom stock documents approve ${id}\`, or recall it with \`stockroom stock documents update ${id} --status draft\``;

export const getDocument = ({ body }: Reply): StockDocument => (body as { data: StockDocument }).data;

/** Adds the names of items and sites, which the document contains, to its stock effects. */
function toEffectRows(document: StockDocument): readonly (StockEffect & { item: unknown; site: unknown })[] {
  const items = new Map((document.lines ?? []).map(({ item }) => [item.id, item]));
  const sites = new Map([document.site, document.toSite].flatMap((site) => (site === null ? [] : [[site.id, site]])));
  return (document.stockEffects ?? []).map((effect) => ({
    ...effect,
    item: items.get(effect.itemId) ?? { name: null, sku: effect.sku },
    site: sites.get(effect.siteId) ?? { name: null },
  }));
}

/** Short enough for one line of a narrow terminal. */
const formatOutcome = ({ documentNumber, status, stockEffects = [] }: StockDocument): string =>
  `${documentNumber} would be ${status}${stockEffects.length > 0 ? '' : ', no stock moved'}; nothing was changed`;
