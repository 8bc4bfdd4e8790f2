import { defineCommand } from '../../src/cli/command/define-command.ts';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { Failure, usageError } from '../../src/cli/errors/failure.ts';
import { readWholeFile } from '../../src/cli/input/bounded-read.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import { DELIVERY_HEADERS } from '../../src/contract/headers.ts';
import { SIGNATURE_TOLERANCE_S } from '../../src/contract/limits.ts';
import { Flags } from '@oclif/core';
import { buffer } from 'node:stream/consumers';

export default defineCommand({
  summary: 'Verify the signature of a delivery',
  description: 'Requires the raw body, both headers and the signing secret. Exits with 9 and the reason if the signature is invalid.',
  flags: {
    body: Flags.string({ required: true, helpValue: 'FILE|-', description: 'File with the raw body, or - for stdin.' }),
    timestamp: Flags.string({ required: true, helpValue: 'SECONDS', description: `Value of the ${DELIVERY_HEADERS.timestamp} header.` }),
    signature: Flags.string({ required: true, helpValue: 'v1=HEX', description: `Value of the ${DELIVERY_HEADERS.signature} header.` }),
    'secret-file': Flags.string({ helpValue: 'FILE', description: 'File with the signing secret. Default: STOCKROOM_SIGNING_SECRET.' }),
    tolerance: integerFlag({
      helpValue: 'SECONDS',
      min: 0,
      default: SIGNATURE_TOLERANCE_S,
      description: 'Maximum age of the signature.',
    }),
  },
  examples: [
    'webhooks verify --body body.json --timestamp 1774965600 --signature v1=0a1b2c --secret-file secret.txt',
    'webhooks verify --body - --timestamp 1774965600 --signature v1=0a1b2c --tolerance 3600 < body.json',
  ],
  async run({ flags, output }) {
    const file = flags['secret-file'];
    const secret = (file === undefined ? (process.env['STOCKROOM_SIGNING_SECRET'] ?? '') : readWholeFile(file).toString('utf8')).trim();
    if (secret === '') throw usageError('Missing signing secret', 'Set STOCKROOM_SIGNING_SECRET or pass --secret-file');
    const body = flags.body === '-' ? await buffer(process.stdin) : readWholeFile(flags.body);
    const headers = { [DELIVERY_HEADERS.timestamp]: flags.timestamp, [DELIVERY_HEADERS.signature]: flags.signature };
    const { verifyWebhook, WebhookVerificationError } = await import('../../src/webhook-verifier/verify.ts');
    try {
      const { event, eventId } = verifyWebhook(body, headers, secret, { toleranceSeconds: flags.tolerance });
      await output.printOne(
        { data: { verified: true, event, eventId } },
        { fields: ['verified', 'event', 'eventId'], columns: ['verified', 'event', 'eventId'] },
      );
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      throw new Failure(error.reason.toUpperCase() as Uppercase<typeof error.reason>, error.message, {
        exit: EXIT.checkFailed,
        cause: error,
      });
    }
  },
});
