import { ApiError } from '../../../src/client/errors.ts';
import type { Setting } from '../../../src/cli/failure.ts';
import { paramArgs } from '../../../src/cli/operation-flags.ts';
import { StockCommand, actFlags } from '../../../src/cli/stock-command.ts';
import type { ErrorCode } from '../../../src/contract/errors.ts';
import { approveStockDocument, submitStockDocument } from '../../../src/contract/stock-documents.ts';

const WRONG_STATE: ErrorCode = 'INVALID_STATE';

export default class StockDocumentsPost extends StockCommand {
  static override summary = 'Submit and approve in one go: the stock changes';
  static override description =
    'A document that is submitted already is approved. When approving is refused the document stays submitted, and the exit code is that of the refusal.';
  static override args = paramArgs(approveStockDocument);
  static override flags = { ...actFlags };
  static override examples = [
    '<%= config.bin %> stock documents post 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30',
    '<%= config.bin %> stock documents post 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 --dry-run',
  ];

  private advice: string | undefined;

  async run(): Promise<void> {
    const parsed = await this.parse(StockDocumentsPost);
    const isDry = this.checkAct(approveStockDocument, parsed);
    const client = await this.connect();
    const key = parsed.flags['idempotency-key'];
    // A key belongs to one request, and these are two.
    const keyOf = (step: string) => (key === undefined ? undefined : `${key}:${step}`);
    const submitted = await orWrongState(this.perform(client, submitStockDocument, parsed, keyOf('submit')));
    // A document in the wrong state may be one that was submitted before.
    if (!isDry) this.advice = stays(String(parsed.args['document_id']));
    const approved = await orWrongState(this.perform(client, approveStockDocument, parsed, keyOf('approve')));
    if (!(approved instanceof ApiError)) {
      await (isDry ? this.printDryRun(approved) : this.printDocument(approveStockDocument, approved, true));
      return;
    }
    this.advice = undefined;
    throw submitted instanceof ApiError ? submitted : approved;
  }

  protected override setting(): Setting {
    return { ...super.setting(), advice: this.advice };
  }
}

/** The refusal, when it is for the document's state; every other one ends the command. */
const orWrongState = <T>(asked: Promise<T>): Promise<T | ApiError> =>
  asked.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === WRONG_STATE) return error;
    throw error;
  });

const stays = (id: string): string =>
  `the document stays submitted: approve it later with \`stockroom stock documents approve ${id}\`, or take it back with \`stockroom stock documents update ${id} --status draft\``;
