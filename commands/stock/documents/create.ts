import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { stockLineFlag } from '../../../src/cli/input/line-flag.ts';
import { bodyFlags } from '../../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { apiAccess } from '../../../src/cli/session/api-session.ts';
import { postDocument, writeDocument } from '../../../src/cli/stock/document-actions.ts';
import { getDocument } from '../../../src/cli/stock/document-output.ts';
import { createStockDocument } from '../../../src/contract/resources/stock-documents.ts';
import { Flags } from '@oclif/core';

export default defineCommand({
  access: apiAccess,
  summary: 'Create a draft stock document with its lines',
  description:
    'A draft changes no stock until it is posted, with --post or `stockroom stock documents post`. With --order-id, lines fulfil those of the order, or all that is open without lines; with --return-of, they return goods of a completed order.',
  flags: {
    ...bodyFlags(createStockDocument),
    ...stockLineFlag,
    post: Flags.boolean({ description: 'Also post the document.' }),
    ...writeFlags,
  },
  examples: [
    'stock documents create --type receipt --line GRN-ETH:60@8.40 --line PKG-BAG-250:500@0.12',
    'stock documents create --type adjustment --reason damaged --line 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e:-2',
    'stock documents create --type issue --order-id SO-000012 --post',
    'stock documents create --type receipt --return-of SO-000012 --line KES-HB-250:1 --post',
    'stock documents create --type count --line KES-HB-250:41 -o id',
    'stock documents create --data - < document.json',
  ],
  async run(context) {
    const { flags, output } = context;
    const { post, 'idempotency-key': key } = flags;
    const reply = await writeDocument(context, createStockDocument, !post);
    if (!reply) return;
    const { documentNumber } = getDocument(reply);
    const postLater = `with \`stockroom stock documents post ${documentNumber}\``;
    if (!post) {
      if (output.isPlainTable) output.printNote(`Post the draft ${postLater}`);
      return;
    }
    // Counted and posted at once: what happens in between is no reason to count again. Lines in --data may state what they expect.
    const force = flags.line !== undefined;
    const posting = { ...context, args: { document_id: documentNumber }, flags: { 'idempotency-key': key, ...(force ? { force } : {}) } };
    await postDocument(posting, `${documentNumber} stays a draft. Post it later ${postLater}`);
  },
});
