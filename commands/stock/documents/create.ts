import { Flags } from '@oclif/core';
import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { stockLineFlag } from '../../../src/cli/input/line-flag.ts';
import { createAndPostDocument } from '../../../src/cli/stock/post-document.ts';
import { createDraft } from '../../../src/cli/stock/posting-command.ts';
import { createStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default operationCommand(createStockDocument, {
  summary: 'Create a draft stock document with its lines',
  description:
    'A draft changes no stock until it is posted, with --post or `stockroom stock documents post`. With --order-id, lines fulfil those of the order, or all that is open without lines; with --return-of, they return goods of a completed order.',
  flags: { ...stockLineFlag, post: Flags.boolean({ description: 'Also post the document; if that fails, nothing is created.' }) },
  examples: [
    'stock documents create --type receipt --line GRN-ETH:60@8.40 --line PKG-BAG-250:500@0.12',
    'stock documents create --type adjustment --reason damaged --line 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e:-2',
    'stock documents create --type issue --order-id SO-000012 --post',
    'stock documents create --type receipt --return-of SO-000012 --line KES-HB-250:1 --post',
    'stock documents create --type count --line KES-HB-250:41 -o id',
    'stock documents create --data - < document.json',
  ],
  run: (context) => (context.flags.post ? createAndPostDocument(context) : createDraft(context)),
});
