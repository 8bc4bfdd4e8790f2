/** Stock documents on the screen: the head as a record, its lines or what it does to the stock as a table below; and asking before doing. */
import { Flags } from '@oclif/core';
import type { Client, Reply } from '../client/client.ts';
import type { Operation } from '../contract/operation.ts';
import { type StockDocument, type StockEffect, stockEffect } from '../contract/stock-documents.ts';
import { type StockLine, stockLine } from '../contract/stock-lines.ts';
import { ApiCommand } from './api-command.ts';
import { bodyOf, writeFlags } from './body.ts';
import { fieldsOf, valueAt } from './fields.ts';
import type { View } from './printer.ts';
import { type Parsed, viewOf } from './service-command.ts';
import { itemIdsOf, lineBody, typedLine } from './stock-lines.ts';

/** Columns of lines, of which every type of document has its own. */
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
  'notes',
];

/** In a document the number of a line is enough to speak of it. */
const LINES_WITHIN = [
  'lineNumber',
  'item.name',
  ...LINE_COLUMNS.filter((column) => !['id', 'lineNumber', 'item.name'].includes(column)),
  'id',
];

/** What a person wants to see after a write; `get` shows everything. */
const BRIEF = [
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

/** As tables below, and as `orderId`. */
const TOLD_OTHERWISE = ['lines', 'stockEffects', 'order.id'];

const EFFECT_COLUMNS = ['item.name', 'item.sku', 'site.name', 'quantityDelta', 'onHandAfter', 'itemId', 'siteId'];
const EFFECTS: View = { fields: [...fieldsOf(stockEffect), 'item.name', 'item.sku', 'site.name'], columns: EFFECT_COLUMNS };

/** Flags of what moves a document on. A dry run asks the service, because only it knows the stock. */
export const actFlags = {
  'dry-run': Flags.boolean({ description: 'Ask the service what would happen to the stock; nothing is changed.' }),
  'idempotency-key': writeFlags['idempotency-key'],
};

export abstract class StockCommand extends ApiCommand {
  /** Prints a document; on a terminal its lines, or what it did to the stock, follow as a table. */
  protected async printDocument(op: Operation, reply: Reply, isBrief: boolean): Promise<void> {
    const document = documentOf(reply);
    const { fields, columns } = viewOf(op);
    const own = columns.filter((column) => !TOLD_OTHERWISE.includes(column));
    const asTable = this.format === 'table' && this.globals.columns === undefined;
    // What has not happened yet would fill the screen with dashes.
    const shown = asTable ? (isBrief ? BRIEF : own).filter((column) => (valueAt(document, column) ?? null) !== null) : own;
    await this.printOne(reply.body as { data: unknown }, { fields, columns: shown }, reply.text);
    if (!asTable) return;
    const effects = effectsOf(document);
    if (effects.length > 0) await this.printBelow(effects, EFFECTS);
    else if (document.lines !== undefined && document.lines.length > 0) await this.printLines(document.lines);
  }

  protected async writeDocument(op: Operation, parsed: Parsed): Promise<void> {
    this.checked(viewOf(op));
    const reply = await this.submit(op, parsed, (body) => this.linesOf(parsed, body['type']));
    if (reply) await this.printDocument(op, reply, true);
  }

  /** Moves a document on, or with `--dry-run` shows what that would do. */
  protected async act(op: Operation, parsed: Parsed): Promise<void> {
    const isDry = this.checkAct(op, parsed);
    const reply = await this.perform(await this.connect(), op, parsed, parsed.flags['idempotency-key'] as string | undefined);
    await (isDry ? this.printDryRun(reply) : this.printDocument(op, reply, true));
  }

  /** Refuses a wrong `--columns` before anything is sent. Whether it is a dry run. */
  protected checkAct(op: Operation, { flags }: Parsed): boolean {
    const isDry = flags['dry-run'] === true;
    this.checked(isDry ? EFFECTS : viewOf(op));
    return isDry;
  }

  protected async perform(client: Client, op: Operation, parsed: Parsed, idempotencyKey: string | undefined): Promise<Reply> {
    const parts = { ...this.partsOf(op, parsed), body: await bodyOf(op, parsed.flags) };
    // A key belongs to one request, and the real one is still to come.
    const options = idempotencyKey === undefined || parsed.flags['dry-run'] === true ? {} : { idempotencyKey };
    return (await client.perform(op, parts, options)) as Reply;
  }

  /** What would happen: the effects on the stock, or the lines when nothing would be posted. */
  protected async printDryRun(reply: Reply): Promise<void> {
    const document = documentOf(reply);
    const mark = `${this.paintFor(this.format === 'table' ? process.stdout : process.stderr)('bold', 'DRY RUN')}  ${outcomeOf(document)}`;
    if (this.format === 'table') await this.out.write(`${mark}\n`);
    else this.note(mark);
    const effects = effectsOf(document);
    if (this.format === 'json') await this.printText(reply.text, '');
    else if (effects.length === 0 && this.format === 'table') await this.printLines(document.lines ?? []);
    else if (this.format === 'table') await this.printBelow(effects, EFFECTS);
    else await this.printList({ data: effects }, EFFECTS);
  }

  private async printLines(lines: readonly StockLine[]): Promise<void> {
    if (lines.length > 0) await this.printBelow(lines, { fields: fieldsOf(stockLine), columns: LINES_WITHIN, sparse: LINES_WITHIN });
  }

  private async printBelow(rows: readonly unknown[], view: View): Promise<void> {
    await this.out.write('\n');
    await this.printList({ data: rows }, view);
  }

  private async linesOf({ flags }: Parsed, type: unknown): Promise<{ lines?: readonly unknown[] }> {
    const texts = flags['line'] as readonly string[] | undefined;
    if (texts === undefined) return {};
    const lines = texts.map(typedLine);
    const ids = await itemIdsOf(
      lines.map(({ item }) => item),
      () => this.connect(),
    );
    return { lines: lines.map((line) => lineBody(type, ids.get(line.item) ?? line.item, line)) };
  }
}

export const documentOf = ({ body }: Reply): StockDocument => (body as { data: StockDocument }).data;

/** The effects with the names that the document knows of its items and sites. */
function effectsOf(document: StockDocument): readonly (StockEffect & { item: unknown; site: unknown })[] {
  const items = new Map((document.lines ?? []).map(({ item }) => [item.id, item]));
  const sites = new Map([document.site, document.toSite].flatMap((site) => (site === null ? [] : [[site.id, site]])));
  return (document.stockEffects ?? []).map((effect) => ({
    ...effect,
    item: items.get(effect.itemId) ?? { name: null, sku: effect.sku },
    site: sites.get(effect.siteId) ?? { name: null },
  }));
}

/** Short enough for one line of a narrow screen. */
const outcomeOf = ({ documentNumber, status, stockEffects = [] }: StockDocument): string =>
  `${documentNumber} would be ${status}${stockEffects.length > 0 ? '' : ', no stock moved'}; nothing was changed`;
