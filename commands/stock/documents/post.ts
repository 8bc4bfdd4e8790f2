import { ApiError } from '../../../src/client/errors.ts';
import type { HintContext } from '../../../src/cli/errors/hints.ts';
import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { StockDocumentCommand, actionFlags } from '../../../src/cli/base-commands/stock-document-command.ts';
import type { ErrorCode } from '../../../src/contract/errors.ts';
import { approveStockDocument, submitStockDocument } from '../../../src/contract/resources/stock-documents.ts';

const WRONG_STATE: ErrorCode = 'INVALID_STATE';

export default class StockDocumentsPost extends StockDocumentCommand {
  static override summary = 'Submit and approve a draft, posting its stock';
  static override description =
    'A submitted document is only approved. If approval fails, the document stays submitted and the exit code is that of the failure.';
  static override args = paramArgs(approveStockDocument);
  static override flags = { ...actionFlags };
  static override examples = [
    '<%= config.bin %> stock documents post RC-000003',
    '<%= config.bin %> stock documents post RC-000003 --dry-run',
  ];

  private advice: string | undefined;

  async run(): Promise<void> {
    const parsed = await this.parse(StockDocumentsPost);
    const isDry = this.validateActionColumns(approveStockDocument, parsed);
    const client = await this.connect();
    const key = parsed.flags['idempotency-key'];
    // Each of the two requests needs its own key.
    const toStepKey = (step: string) => (key === undefined ? undefined : `${key}:${step}`);
    const submitted = await catchWrongState(this.sendAction(client, submitStockDocument, parsed, toStepKey('submit')));
    // A document in the wrong state may already be submitted.
    if (!isDry) this.advice = buildAdvice(String(parsed.args['document_id']));
    const approved = await catchWrongState(this.sendAction(client, approveStockDocument, parsed, toStepKey('approve')));
    if (!(approved instanceof ApiError)) {
      await (isDry ? this.printDryRun(approved) : this.printDocument(approveStockDocument, approved, true));
      return;
    }
    this.advice = undefined;
    throw submitted instanceof ApiError ? submitted : approved;
  }

  protected override getHintContext(): HintContext {
    return { ...super.getHintContext(), refusalHint: this.advice };
  }
}

/** Returns an error about the document's state; throws all others. */
const catchWrongState = <T>(request: Promise<T>): Promise<T | ApiError> =>
  request.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === WRONG_STATE) return error;
    throw error;
  });

const buildAdvice = (id: string): string =>
  `The document stays submitted. Approve it later with \`stockroom stock documents approve ${id}\`, or recall it with \`stockroom stock documents update ${id} --status draft\``;
