/** Base of the commands for stock documents: prints lines or stock effects as a table below the document, and dry runs of actions. */
import { Flags } from '@oclif/core';
import type { Client, Reply } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import { type StockDocument, type StockEffect, stockEffect } from '../../contract/resources/stock-documents.ts';
import { type StockLine, stockLine } from '../../contract/resources/stock-lines.ts';
import { ApiCommand } from './api-command.ts';
import { readRequestBody, writeFlags } from '../input/request-body.ts';
import { listFields, getValueAt } from '../output/fields.ts';
import type { View } from '../output/printer.ts';
import { type Parsed, getView } from './service-command.ts';
import { toLineBody, parseLine } from '../input/line-flag.ts';

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
  'cancelReason',
];

/** Shown as tables below the document, and as `orderId`. */
const SHOWN_SEPARATELY = ['lines', 'stockEffects', 'order.id'];

const EFFECT_COLUMNS = ['item.name', 'item.sku', 'site.name', 'quantityDelta', 'onHandAfter', 'itemId', 'siteId'];
const EFFECTS: View = { fields: [...listFields(stockEffect), 'item.name', 'item.sku', 'site.name'], columns: EFFECT_COLUMNS };

/** Flags of the actions that change the status of a document. The service performs the dry run, because it depends on the stock. */
export const actionFlags = {
  'dry-run': Flags.boolean({ description: 'Show the effects on the stock without changing anything.' }),
  'idempotency-key': writeFlags['idempotency-key'],
};

export abstract class StockDocumentCommand extends ApiCommand {
  /** Prints a document; in table format its stock effects, or else its lines, follow as a table. */
  protected async printDocument(op: Operation, reply: Reply, isBrief: boolean): Promise<void> {
    const document = getDocument(reply);
    const { fields, columns } = getView(op);
    const own = columns.filter((column) => !SHOWN_SEPARATELY.includes(column));
    const asTable = this.format === 'table' && this.globals.columns === undefined;
    // Most fields are null until the document is approved.
    const shown = asTable ? (isBrief ? SUMMARY_COLUMNS : own).filter((column) => (getValueAt(document, column) ?? null) !== null) : own;
    await this.printOne(reply.body as { data: unknown }, { fields, columns: shown }, reply.text);
    if (!asTable) return;
    const effects = toEffectRows(document);
    if (effects.length > 0) await this.printTableBelow(effects, EFFECTS);
    else if (document.lines !== undefined && document.lines.length > 0) await this.printLines(document.lines);
  }

  protected async writeDocument(op: Operation, parsed: Parsed): Promise<void> {
    this.validateOutput(getView(op));
    const reply = await this.submit(op, parsed, (body) => Promise.resolve(parseLines(parsed, body['type'])));
    if (reply) await this.printDocument(op, reply, true);
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
        columns: DOCUMENT_LINE_COLUMNS,
        hiddenIfEmpty: DOCUMENT_LINE_COLUMNS,
      });
  }

  private async printTableBelow(rows: readonly unknown[], view: View): Promise<void> {
    await this.out.write('\n');
    await this.printList({ data: rows }, view);
  }
}

/** Parses `--line` to the lines of a body; an empty object without the flag. */
function parseLines({ flags }: Parsed, type: unknown): { lines?: readonly unknown[] } {
  const texts = flags['line'] as readonly string[] | undefined;
  return texts === undefined ? {} : { lines: texts.map((text) => toLineBody(type, parseLine(text, 'COST'))) };
}

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
