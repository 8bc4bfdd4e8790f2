/** The description of what is sent to webhook endpoints: OpenAPI 3.1 with `webhooks`, which 3.0.3 does not have. decisions-api §8. */
import { eventDataOf, testEventData, truncatedEventData } from '../event-data.ts';
import { eventSamples } from '../event-samples.ts';
import { type EmittedEvent, type EventName, TEST_EVENT, events } from '../events.ts';
import { DELIVERY_HEADERS, SIGNATURE_PREFIX, STANDARD_WEBHOOKS_HEADERS } from '../headers.ts';
import type { JsonSchema } from '../json-schema.ts';
import { DELIVERY_TIMEOUT_S } from '../limits.ts';
import { createWebhook } from '../webhooks.ts';
import { type Components, collectSchemas } from './components.ts';
import { exampleOf, idFor } from './example.ts';
import { ABOUT_WEBHOOKS, DOCUMENT_VERSION, LICENCE } from './info.ts';
import { samples } from './samples.ts';

const TIMESTAMP = 1_774_965_600;

/** Made anew for every attempt, except those that name the event. */
const PARAMETERS: Readonly<Record<keyof typeof DELIVERY_HEADERS, readonly [description: string, schema: JsonSchema, example: unknown]>> = {
  event: ['The event, as in the body.', { type: 'string' }, 'order.created'],
  timestamp: ['Seconds since 1970 when the attempt was signed.', { type: 'integer' }, TIMESTAMP],
  signature: [
    'One signature for each secret that is valid now, joined by commas, the newest first.',
    { type: 'string', pattern: `^${SIGNATURE_PREFIX}[0-9a-f]{64}(,${SIGNATURE_PREFIX}[0-9a-f]{64})?$` },
    SIGNATURE_PREFIX + '0f4a1d7c'.repeat(8),
  ],
  eventId: ['As `data.eventId`.', { type: 'string', format: 'uuid' }, idFor('event')],
  deliveryId: ['The delivery, as the log of the endpoint lists it.', { type: 'string', format: 'uuid' }, idFor('delivery')],
  attempt: ['Counts from 1.', { type: 'integer', minimum: 1 }, 1],
};
const STANDARD: Readonly<Record<keyof typeof STANDARD_WEBHOOKS_HEADERS, readonly [description: string, example: string]>> = {
  id: ['Standard Webhooks: the event.', idFor('event')],
  timestamp: ['Standard Webhooks: seconds since 1970.', String(TIMESTAMP)],
  signature: [
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<raw body>`; several with blanks between them.',
    `v1,${'dGVz'.repeat(10)}dGU=`,
  ],
};

const componentOf = (name: string): string => name.replaceAll(/[^\w]/gu, '');
const parameter = (name: string, description: string, schema: JsonSchema, example: unknown): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
  example,
});

const parameters: Readonly<Record<string, JsonSchema>> = Object.fromEntries([
  ...Object.entries(PARAMETERS).map(([key, [description, schema, example]]) => {
    const name = DELIVERY_HEADERS[key as keyof typeof DELIVERY_HEADERS];
    return [componentOf(name), parameter(name, description, schema, example)] as const;
  }),
  ...Object.entries(STANDARD).map(([key, [description, example]]) => {
    const name = STANDARD_WEBHOOKS_HEADERS[key as keyof typeof STANDARD_WEBHOOKS_HEADERS];
    return [componentOf(name), parameter(name, description, { type: 'string' }, example)] as const;
  }),
]);

const responses: JsonSchema = {
  '2XX': { description: `Received. Answer within ${String(DELIVERY_TIMEOUT_S)} seconds and do the work afterwards.` },
  '410': { description: 'Never send here again: the endpoint is disabled.' },
  default: { description: 'Not received: the delivery is tried again.' },
};

export function webhooksDocument(): JsonSchema {
  const components = collectSchemas('draft-2020-12');
  const webhooks = Object.fromEntries((Object.keys(events) as EventName[]).map((name) => [name, { post: received(name, components) }]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stockroom webhooks',
      version: DOCUMENT_VERSION,
      description: ABOUT_WEBHOOKS,
      license: { name: LICENCE.name, identifier: LICENCE.identifier },
    },
    servers: [
      {
        url: '{targetUrl}',
        variables: { targetUrl: { default: createWebhook.example.body.targetUrl, description: 'The `targetUrl` of the endpoint.' } },
      },
    ],
    webhooks,
    components: { schemas: components.schemas(), parameters },
    // Receivers authenticate us by the signature; there is no credential in the sense of OpenAPI.
    security: [],
  };
}

function received(name: EventName, components: Components): JsonSchema {
  const { status, summary } = events[name];
  const isSigned = name !== TEST_EVENT;
  const names = isSigned ? Object.keys(parameters) : [componentOf(DELIVERY_HEADERS.event)];
  return {
    operationId: name,
    summary,
    ...(status === 'emitted' ? {} : { 'x-status': status }),
    parameters: names.map((key) => ({ $ref: `#/components/parameters/${key}` })),
    requestBody: { required: true, content: { 'application/json': bodyOf(name, components) } },
    responses,
  };
}

function bodyOf(name: EventName, components: Components): JsonSchema {
  const schema = (data: JsonSchema): JsonSchema => ({
    type: 'object',
    properties: { event: { type: 'string', const: name }, data },
    required: ['event', 'data'],
  });
  const example = (data: unknown) => ({ event: name, data });
  if (name === TEST_EVENT) return { schema: schema(components.output(testEventData)), example: example(exampleOf(testEventData, samples)) };
  // What is only reserved has no fields of its own yet.
  if (!isEmitted(name)) return { schema: schema({ type: 'object' }), example: example({}) };
  const data = eventDataOf(name);
  const anyOf = [components.output(data), components.output(truncatedEventData)];
  return { schema: schema({ anyOf }), example: example(exampleOf(data, samples, sampleOf(name))) };
}

const isEmitted = (name: EventName): name is EmittedEvent => events[name].status === 'emitted';

function sampleOf(name: EmittedEvent): Readonly<Record<string, unknown>> {
  const { changes, data } = eventSamples[name];
  return { id: idFor(name.split('.').at(-2) ?? name), actor: { type: 'api', id: idFor('apiKey') }, changes, ...data };
}
