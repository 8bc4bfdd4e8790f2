/** Errors that a client receives. */
import { type ErrorCode, type FieldProblem, errors } from '../../contract/errors.ts';

interface ErrorOptions {
  /** Data specific to the code, such as `allowed`, `references` or `shortages`. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly fields?: readonly FieldProblem[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error that the client receives: a stable code and a message that says what to do. Any other error is a bug. */
export class StockroomError extends Error {
  override readonly name = 'StockroomError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly fields: readonly FieldProblem[] | undefined;
  /** Response headers that belong to the error (Retry-After, Allow, WWW-Authenticate). */
  readonly headers: Readonly<Record<string, string>> | undefined;
  constructor(code: ErrorCode, message: string, { details, fields, headers, cause }: ErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
    this.fields = fields;
    this.headers = headers;
  }
  get status(): number {
    return errors[this.code].status;
  }
}

/** 404: the tenant has no such record. */
export const notFound = (what: string, id: string): StockroomError => new StockroomError('NOT_FOUND', `There is no ${what} ${id}.`);

/** 400 for one field. `path` is its JSON pointer in the body (or query, header, path: `location`). */
export const invalidField = (
  path: string,
  message: string,
  code: FieldProblem['code'] = 'invalid',
  location: FieldProblem['in'] = 'body',
): StockroomError => {
  // Messages name fields as `lines.0.quantity`, like those of schema validation.
  const startsWithPath = message.startsWith(`${path} `) || message.startsWith(`${path}: `);
  const text = startsWithPath ? path.slice(1).replaceAll('/', '.') + message.slice(path.length) : message;
  return new StockroomError('VALIDATION_FAILED', text.endsWith('.') ? text : `${text}.`, {
    fields: [{ in: location, path, code, message: text }],
  });
};

/**
 * 409: an inactive record gets a new reference. `what` names it: `Unit kg`. The details are its id, by the name of its kind: `{ unitId }`,
 * and the JSON pointer of the field that refers to it.
 */
export const inactiveReference = (what: string, id: Readonly<Record<string, string>>, path: string): StockroomError =>
  new StockroomError('INACTIVE_REFERENCE', `${what} is inactive; activate it or choose another one.`, { details: { ...id, path } });

/** 409: another record has this value of a unique field. */
export const duplicateValue = (field: string, value: string, existingId: string): StockroomError =>
  new StockroomError('DUPLICATE_VALUE', `${field} '${value}' is taken by another record.`, { details: { field, value, existingId } });
