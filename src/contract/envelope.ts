/** The one form of every refusal. Contract part 7 fixes `code`; the other members are decisions-api §2. */
import { type ErrorCode, FIELD_CODES, FIELD_PLACES, errors } from './errors.ts';
import { type Infer, t } from './schema.ts';

const CODES = Object.keys(errors) as readonly ErrorCode[];

const fieldProblem = t.object({
  in: t.enums(FIELD_PLACES),
  path: t.about(t.string(), { description: 'JSON Pointer (RFC 6901) into the place.' }),
  code: t.enums(FIELD_CODES),
  message: t.string(),
});

export const errorEnvelope = t.about(
  t.object({
    error: t.object({
      code: t.about(t.enums(CODES), { description: 'Stable; for programs.' }),
      message: t.about(t.string(), { description: 'For people; may change.' }),
      status: t.int({ min: 400, max: 599 }),
      requestId: t.about(t.string(), { description: 'Also the X-Request-Id of the reply.' }),
      fields: t.optional(t.about(t.array(fieldProblem), { description: 'Every problem of the request.' })),
      details: t.optional(t.about(t.map(t.json()), { description: 'What belongs to the code.' })),
    }),
  }),
  { name: 'Error' },
);
export type ErrorEnvelope = Infer<typeof errorEnvelope>;
