import { Flags } from '@oclif/core';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../../src/cli/input/operation-flags.ts';
import { StockDocumentCommand, getDocument } from '../../../src/cli/base-commands/stock-document-command.ts';
import { stockLineFlag } from '../../../src/cli/input/line-flag.ts';
import { createStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default class StockDocumentsCreate extends StockDocumentCommand {
  static override summary = 'Create a draft stock document with its lines';
  static override description =
    'A draft changes no stock until it is posted, with --post or `stockroom stock documents post`. With --order-id, lines fulfil those of the order, or all that is open without lines; with --return-of, they return goods of a completed order.';
  static override flags = {
    ...bodyFlags(createStockDocument, { type: 'Type of the document.', reference: 'External reference such as a delivery note number.' }),
    ...stockLineFlag,
    post: Flags.boolean({ description: 'Also post the document.' }),
    ...writeFlags,
  };
  static override examples = [
    '<%= config.bin %> stock documents create --type receipt --line GRN-ETH:60@8.40 --line PKG-BAG-250:500@0.12',
    '<%= config.bin %> stock documents create --type adjustment --reason damaged --line 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e:-2',
    '<%= config.bin %> stock documents create --type issue --order-id SO-000012 --post',
    '<%= config.bin %> stock documents create --type receipt --return-of SO-000012 --line KES-HB-250:1 --post',
    '<%= config.bin %> stock documents create --type count --line KES-HB-250:41 -o id',
    '<%= config.bin %> stock documents create --data - < document.json',
  ];

  async run(): Promise<void> {
    const parsed = await this.parse(StockDocumentsCreate);
    const { post, 'idempotency-key': key } = parsed.flags;
    const reply = await this.writeDocument(createStockDocument, parsed, !post);
    if (!reply) return;
    const { documentNumber } = getDocument(reply);
    const postLater = `with \`stockroom stock documents post ${documentNumber}\``;
    if (!post) {
      if (this.format === 'table' && this.globals.columns === undefined) this.printNote(`Post the draft ${postLater}`);
      return;
    }
    this.advice = `${documentNumber} stays a draft. Post it later ${postLater}`;
    // Counted and posted at once: what happens in between is no reason to count again. Lines in --data may state what they expect.
    const force = parsed.flags.line !== undefined;
    await this.postDocument({ args: { document_id: documentNumber }, flags: { 'idempotency-key': key, ...(force ? { force } : {}) } });
  }
}
