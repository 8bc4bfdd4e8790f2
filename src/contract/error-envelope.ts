/** The JSON body of every error response. C-7 fixes `code`; the other members are A-2. */
import { type ErrorCode, FIELD_CODES, FIELD_PLACES, errors } from './errors.ts';
import { type Infer, t } from './schema/builder.ts';

const CODES = Object.keys(errors) as readonly ErrorCode[];

const fieldProblem = t.object({
  in: t.enums(FIELD_PLACES),
  path: t.annotate(t.string(), { description: 'JSON Pointer (RFC 6901) to the value within `in`.' }),
  code: t.enums(FIELD_CODES),
  message: t.string(),
});

export const errorEnvelope = t.component('Error', {
  error: t.object({
    code: t.annotate(t.enums(CODES), { description: 'Stable error code for programs.' }),
    message: t.annotate(t.string(), { description: 'Message for people; may change.' }),
    status: t.int({ min: 400, max: 599 }),
    requestId: t.annotate(t.string(), { description: 'Same as the X-Request-Id response header.' }),
    fields: t.optional(t.annotate(t.array(fieldProblem), { description: 'All invalid fields of the request.' })),
    details: t.optional(t.annotate(t.map(t.json()), { description: 'Further data that depends on the code.' })),
  }),
});
export type ErrorEnvelope = Infer<typeof errorEnvelope>;
