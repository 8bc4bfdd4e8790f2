import { type ErrorCode, type FieldProblem, errors } from '../contract/errors.ts';

interface Extra {
  /** Data of the code's own: `allowed`, `references`, `shortages`, … */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly fields?: readonly FieldProblem[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error the caller is told about: a stable code, a sentence to act on. Everything else that is thrown is a bug. */
export class StockroomError extends Error {
  override readonly name = 'StockroomError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly fields: readonly FieldProblem[] | undefined;
  /** Response headers that belong to the error (Retry-After, Allow, WWW-Authenticate). */
  readonly headers: Readonly<Record<string, string>> | undefined;
  constructor(code: ErrorCode, message: string, { details, fields, headers, cause }: Extra = {}) {
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

/** 404 for a record that this tenant does not have. */
export const notFound = (what: string, id: string): StockroomError => new StockroomError('NOT_FOUND', `There is no ${what} ${id}.`);

/** 400 for one field, by its name in the body. */
export const invalidField = (
  path: string,
  message: string,
  code: FieldProblem['code'] = 'invalid',
  place: FieldProblem['in'] = 'body',
): StockroomError => {
  // In words a field is `lines.0.quantity`, as it is where the schema refuses it.
  const isNamed = message.startsWith(`${path} `) || message.startsWith(`${path}: `);
  const told = isNamed ? path.slice(1).replaceAll('/', '.') + message.slice(path.length) : message;
  return new StockroomError('VALIDATION_FAILED', told.endsWith('.') ? told : `${told}.`, {
    fields: [{ in: place, path, code, message: told }],
  });
};

/** 409 because another record has the value. */
export const duplicateValue = (field: string, value: string, existingId: string): StockroomError =>
  new StockroomError('DUPLICATE_VALUE', `${field} '${value}' is taken by another record.`, { details: { field, value, existingId } });

/** 409 because other records refer to this one. `references` counts them by kind. */
export function resourceInUse(what: string, references: Readonly<Record<string, number>>, hint: string): StockroomError {
  const counted = Object.entries(references)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${String(count)} ${kind}`);
  return new StockroomError('RESOURCE_IN_USE', `The ${what} is used by ${counted.join(', ')}. ${hint}`, {
    details: { references: Object.fromEntries(Object.entries(references).filter(([, count]) => count > 0)) },
  });
}
