/** Errors of the API with what only the command that received them knows. */
import { ApiError } from '../../client/errors.ts';

interface Explanation {
  /** Replaces the message. */
  readonly message?: string | undefined;
  /** Replaces the hint. */
  readonly hint?: string | undefined;
  /** What the command left behind, before the hint. */
  readonly outcome?: string | undefined;
}

/** Is reported like its cause, with another message or hint. */
export class ExplainedError extends Error {
  override readonly name = 'ExplainedError';
  readonly explanation: Explanation;

  constructor(cause: Error, explanation: Explanation) {
    super(cause.message, { cause });
    this.explanation = explanation;
  }
}

/** The error of the API that was thrown, explained or not; undefined for all other errors. */
export function getApiError(thrown: unknown): ApiError | undefined {
  const error = thrown instanceof ExplainedError ? thrown.cause : thrown;
  return error instanceof ApiError ? error : undefined;
}

/** Explains an error of the API. Other errors, and those that are already explained, are returned as they are. */
export function explainError(thrown: unknown, explain: (error: ApiError) => Explanation | undefined): unknown {
  const explanation = thrown instanceof ApiError ? explain(thrown) : undefined;
  return explanation === undefined ? thrown : new ExplainedError(thrown as ApiError, explanation);
}

/** Explains the errors of the API that `work` throws. */
export const withExplanation = <T>(work: Promise<T>, explain: (error: ApiError) => Explanation | undefined): Promise<T> =>
  work.catch((error: unknown) => {
    throw explainError(error, explain);
  });
