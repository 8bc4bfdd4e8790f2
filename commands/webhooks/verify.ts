import { Flags } from '@oclif/core';
import { StockroomCommand } from '../../src/cli/command.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { Failure, usage } from '../../src/cli/failure.ts';
import { whyUnreadable } from '../../src/client/reasons.ts';
import { DELIVERY_HEADERS } from '../../src/contract/headers.ts';
import { SIGNATURE_TOLERANCE_S } from '../../src/contract/limits.ts';

export default class WebhooksVerify extends StockroomCommand {
  static override summary = 'Check the signature of a delivery, and say why it is wrong';
  static override description =
    'Needs the raw body, the two headers and the secret, which is read from STOCKROOM_SIGNING_SECRET or a file. Ends with exit code 9 when the signature does not hold.';
  static override flags = {
    body: Flags.string({ required: true, helpValue: 'FILE|-', description: 'The raw body: a file, or - for stdin.' }),
    timestamp: Flags.string({ required: true, helpValue: 'SECONDS', description: `The header ${DELIVERY_HEADERS.timestamp}.` }),
    signature: Flags.string({ required: true, helpValue: 'v1=HEX', description: `The header ${DELIVERY_HEADERS.signature}.` }),
    'secret-file': Flags.string({ helpValue: 'FILE', description: 'Holds the signing secret. Default: STOCKROOM_SIGNING_SECRET.' }),
    tolerance: Flags.integer({ helpValue: 'SECONDS', min: 0, default: SIGNATURE_TOLERANCE_S, description: 'How old a signature may be.' }),
  };
  static override examples = [
    '<%= config.bin %> webhooks verify --body body.json --timestamp 1774965600 --signature v1=0a1b2c --secret-file secret.txt',
    '<%= config.bin %> webhooks verify --body - --timestamp 1774965600 --signature v1=0a1b2c --tolerance 3600 < body.json',
  ];

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksVerify);
    const { readFileSync } = await import('node:fs');
    const contentOf = (path: string): Buffer => {
      try {
        return readFileSync(path);
      } catch (error) {
        throw usage(`${path} cannot be read: ${whyUnreadable(error)}`);
      }
    };
    const file = flags['secret-file'];
    const secret = (file === undefined ? (process.env['STOCKROOM_SIGNING_SECRET'] ?? '') : contentOf(file).toString('utf8')).trim();
    if (secret === '') throw usage('there is no secret', 'set STOCKROOM_SIGNING_SECRET or use --secret-file');
    const body = flags.body === '-' ? await bytesOf(process.stdin) : contentOf(flags.body);
    const headers = { [DELIVERY_HEADERS.timestamp]: flags.timestamp, [DELIVERY_HEADERS.signature]: flags.signature };
    const { verifyWebhook, WebhookVerificationError } = await import('../../src/webhooks/verify.ts');
    try {
      const { event, eventId } = verifyWebhook(body, headers, secret, { toleranceSeconds: flags.tolerance });
      await this.printOne(
        { data: { verified: true, event, eventId } },
        { fields: ['verified', 'event', 'eventId'], columns: ['verified', 'event', 'eventId'] },
      );
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      throw new Failure(error.reason, error.message, { exit: EXIT.checkFailed, cause: error });
    }
  }
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
