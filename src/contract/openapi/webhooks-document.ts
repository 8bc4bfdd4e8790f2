/** The OpenAPI 3.1 document of webhook deliveries; OpenAPI 3.0.3 has no `webhooks`. A-8. */
import { getEventDataSchema, getTruncatedDataSchema, testEventData } from '../event-data.ts';
import { eventSamples } from '../event-samples.ts';
import { type EmittedEvent, type EventName, TEST_EVENT, events } from '../events.ts';
import { DELIVERY_HEADERS, SIGNATURE_PREFIX, STANDARD_WEBHOOKS_HEADERS } from '../headers.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { DELIVERY_TIMEOUT_S } from '../limits.ts';
import { createWebhook } from '../resources/webhooks.ts';
import { type Components, collectSchemas } from './components.ts';
import { buildExample, generateId } from './example.ts';
import { WEBHOOKS_DESCRIPTION, DOCUMENT_VERSION, LICENSE } from './info.ts';
import { samples } from './samples.ts';

const TIMESTAMP = 1_774_965_600;

/** Generated for each attempt, except those that identify the event. */
const SERVICE_HEADERS: Readonly<
  Record<keyof typeof DELIVERY_HEADERS, readonly [description: string, schema: JsonSchema, example: unknown]>
> = {
  event: ['Event type, as in the body.', { type: 'string' }, 'order.created'],
  timestamp: ['Unix time of the signature, in seconds.', { type: 'integer' }, TIMESTAMP],
  signature: [
    'One signature per valid secret, newest first, joined by commas.',
    { type: 'string', pattern: `^${SIGNATURE_PREFIX}[0-9a-f]{64}(,${SIGNATURE_PREFIX}[0-9a-f]{64})?$` },
    SIGNATURE_PREFIX + '0f4a1d7c'.repeat(8),
  ],
  eventId: ['Same as `data.eventId`.', { type: 'string', format: 'uuid' }, generateId('event')],
  deliveryId: ["Id of the delivery in the endpoint's log.", { type: 'string', format: 'uuid' }, generateId('delivery')],
  attempt: ['Number of the attempt, from 1.', { type: 'integer', minimum: 1 }, 1],
};
const STANDARD_HEADERS: Readonly<Record<keyof typeof STANDARD_WEBHOOKS_HEADERS, readonly [description: string, example: string]>> = {
  id: ['Standard Webhooks: id of the event.', generateId('event')],
  timestamp: ['Standard Webhooks: Unix time in seconds.', String(TIMESTAMP)],
  signature: [
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<raw body>`; several are separated by spaces.',
    `v1,${'dGVz'.repeat(10)}dGU=`,
  ],
};

const toComponentName = (name: string): string => name.replaceAll(/[^\w]/gu, '');
const buildParameter = (name: string, description: string, schema: JsonSchema, example: unknown): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
  example,
});

const parameters: Readonly<Record<string, JsonSchema>> = Object.fromEntries([
  ...Object.entries(SERVICE_HEADERS).map(([key, [description, schema, example]]) => {
    const name = DELIVERY_HEADERS[key as keyof typeof DELIVERY_HEADERS];
    return [toComponentName(name), buildParameter(name, description, schema, example)] as const;
  }),
  ...Object.entries(STANDARD_HEADERS).map(([key, [description, example]]) => {
    const name = STANDARD_WEBHOOKS_HEADERS[key as keyof typeof STANDARD_WEBHOOKS_HEADERS];
    return [toComponentName(name), buildParameter(name, description, { type: 'string' }, example)] as const;
  }),
]);

const responses: JsonSchema = {
  '2XX': { description: `Received. Respond within ${String(DELIVERY_TIMEOUT_S)} seconds and process the event afterwards.` },
  '410': { description: 'Gone: the endpoint is disabled.' },
  default: { description: 'Not received: the delivery is retried.' },
};

/** Builds the document of all events, including planned ones. */
export function buildWebhooksDocument(): JsonSchema {
  const components = collectSchemas('draft-2020-12');
  const webhooks = Object.fromEntries((Object.keys(events) as EventName[]).map((name) => [name, { post: buildWebhook(name, components) }]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stockroom webhooks',
      version: DOCUMENT_VERSION,
      description: WEBHOOKS_DESCRIPTION,
      license: { name: LICENSE.name, identifier: LICENSE.identifier },
    },
    servers: [
      {
        url: '{targetUrl}',
        variables: { targetUrl: { default: createWebhook.example.body.targetUrl, description: '`targetUrl` of the endpoint.' } },
      },
    ],
    webhooks,
    components: { schemas: components.schemas(), parameters },
    // Receivers authenticate the service by the signature, which OpenAPI cannot describe as a security scheme.
    security: [],
  };
}

function buildWebhook(name: EventName, components: Components): JsonSchema {
  const { status, summary } = events[name];
  const isSigned = name !== TEST_EVENT;
  const names = isSigned ? Object.keys(parameters) : [toComponentName(DELIVERY_HEADERS.event)];
  return {
    operationId: name,
    summary,
    ...(status === 'emitted' ? {} : { 'x-status': status }),
    parameters: names.map((key) => ({ $ref: `#/components/parameters/${key}` })),
    requestBody: { required: true, content: { 'application/json': buildBody(name, components) } },
    responses,
  };
}

function buildBody(name: EventName, components: Components): JsonSchema {
  const schema = (data: JsonSchema): JsonSchema => ({
    type: 'object',
    properties: { event: { type: 'string', const: name }, data },
    required: ['event', 'data'],
  });
  const example = (data: unknown) => ({ event: name, data });
  if (name === TEST_EVENT)
    return { schema: schema(components.output(testEventData)), example: example(buildExample(testEventData, samples)) };
  // Planned events have no fields yet.
  if (!isEmitted(name)) return { schema: schema({ type: 'object' }), example: example({}) };
  const data = getEventDataSchema(name);
  const anyOf = [components.output(data), components.output(getTruncatedDataSchema(name))];
  return { schema: schema({ anyOf }), example: example(buildExample(data, samples, getSample(name))) };
}

const isEmitted = (name: EventName): name is EmittedEvent => events[name].status === 'emitted';

function getSample(name: EmittedEvent): Readonly<Record<string, unknown>> {
  const { changes, data } = eventSamples[name];
  return { id: generateId(name.split('.').at(-2) ?? name), actor: { type: 'api', id: generateId('apiKey') }, changes, ...data };
}
