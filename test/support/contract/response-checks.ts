/** Holds replies against the contract: status, body, error envelope, headers. */
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { errorEnvelope } from '../../../src/contract/error-envelope.ts';
import { type ErrorCode, errors } from '../../../src/contract/errors.ts';
import { RATE_LIMIT, REQUEST_ID, REQUEST_ID_PATTERN } from '../../../src/contract/headers.ts';
import { toJsonSchema } from '../../../src/contract/schema/json-schema.ts';
import { type Operation, listErrorCodes } from '../../../src/contract/operation.ts';
import type { AnySchema } from '../../../src/contract/schema/builder.ts';
import type { Reply } from '../service/service.ts';

const ajv = addFormats.default(new Ajv2020.default({ strict: true, allowUnionTypes: true, allErrors: true, keywords: ['x-extension'] }));
const validators = new WeakMap<AnySchema, ReturnType<typeof ajv.compile>>();

/** What a value has that its schema does not allow, or lacks; nothing unknown is allowed. */
function mismatches(schema: AnySchema, value: unknown): string[] {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(toJsonSchema(schema, { dialect: 'draft-2020-12', side: 'output', closed: true }));
    validators.set(schema, validate);
  }
  return validate(value)
    ? []
    : (validate.errors ?? []).map((each) => `${each.instancePath} ${each.message ?? ''} ${JSON.stringify(each.params)}`);
}

/** Everything about a reply that the contract does not say of the operation; empty when all is well. */
export function getFaults(op: Operation, reply: Reply): string[] {
  const { status, headers, text, body } = reply;
  const faults: string[] = [];
  const fault = (holds: boolean, what: string) => void (holds || faults.push(what));
  const code = (body as { error?: { code?: ErrorCode } } | undefined)?.error?.code;
  const requestId = String(headers[REQUEST_ID]);
  fault(REQUEST_ID_PATTERN.test(requestId), 'no request id');
  // Every response to an authenticated request states what is left of the rate-limit window.
  for (const name of Object.values(RATE_LIMIT)) fault(status === 401 || headers[name] !== undefined, `no header ${name}`);
  if (text !== '')
    fault(String(headers['content-type']) === 'application/json; charset=utf-8', `content type ${String(headers['content-type'])}`);
  if (status >= 200 && status < 300) {
    fault(status === op.status, `status ${String(status)} instead of ${String(op.status)}`);
    if (op.result) faults.push(...mismatches(op.result, body));
    else fault(text === '', 'a body where there is none');
    if (op.status === 201) fault(typeof headers['location'] === 'string', 'no location of what was created');
    return faults;
  }
  faults.push(...mismatches(errorEnvelope, body));
  fault(code !== undefined && listErrorCodes(op).includes(code), `${String(code)} is not among the errors of the operation`);
  fault(code !== undefined && errors[code].status === status, `${String(code)} with status ${String(status)}`);
  fault((body as { error?: { status?: number } }).error?.status === status, 'another status in the envelope');
  fault((body as { error?: { requestId?: string } }).error?.requestId === requestId, 'another request id in the envelope');
  return faults;
}
