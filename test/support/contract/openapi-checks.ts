/** Holds replies and events against the documents that the service serves, with a validator of its own for each dialect. */
import Ajv2020 from 'ajv/dist/2020.js';
import AjvDraft04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import type { Plan, Scope } from '../../../src/contract/scopes.ts';

type Json = Readonly<Record<string, unknown>>;
type Validate = ((value: unknown) => boolean) & { errors?: readonly { instancePath: string; message?: string; params: unknown }[] | null };

interface MediaType {
  readonly schema: Json;
  readonly examples?: Json;
}
interface Response {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: { readonly 'application/json': MediaType };
}
export interface DocumentedOperation {
  readonly operationId: string;
  readonly 'x-scope': Scope | null;
  readonly 'x-plan'?: Plan;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly ({ readonly name: string; readonly schema: Json } | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: { readonly 'application/json': MediaType } };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}
export interface ApiDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Json;
    readonly securitySchemes: {
      readonly oauth2: { readonly flows: { readonly authorizationCode: { readonly scopes: Readonly<Record<Scope, string>> } } };
    };
  };
}

/** Words of OpenAPI that say nothing about values. */
const ANNOTATIONS = ['x-extension', 'example'];
const options = { strict: true, allowUnionTypes: true, allErrors: true } as const;

/** A reader of one document: what stands at a reference, and a validator for a schema in it. */
function reader(document: { readonly components: { readonly schemas: Json }; readonly openapi: string }) {
  const ajv = document.openapi.startsWith('3.0')
    ? new AjvDraft04.default({ ...options, keywords: ANNOTATIONS })
    : new Ajv2020.default({ ...options, keywords: ANNOTATIONS });
  addFormats.default(ajv);
  // Each component is a schema of its own, known by its name.
  const named = (schema: unknown) => JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"'), addNull) as Json;
  for (const [name, schema] of Object.entries(document.components.schemas)) ajv.addSchema(named(schema), name, false, false);
  const compiled = new Map<unknown, Validate>();
  return {
    getValidator(schema: Json): Validate {
      let validate = compiled.get(schema);
      if (!validate) compiled.set(schema, (validate = ajv.compile(named(schema)) as Validate));
      return validate;
    },
    at<T extends object>(value: T | { readonly $ref: string }): T {
      if (!('$ref' in value)) return value;
      let found: unknown = document;
      for (const part of value.$ref.slice(2).split('/')) found = (found as Json)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
      return found as T;
    },
  };
}

/** As generators read it, `nullable` adds null to the values of an enum. */
function addNull(_key: string, schema: unknown): unknown {
  const { nullable = false, enum: values } = (schema ?? {}) as { readonly nullable?: boolean; readonly enum?: readonly unknown[] };
  return nullable && values ? { ...(schema as object), enum: [...values, null] } : schema;
}

const getProblems = (validate: Validate, value: unknown): string[] =>
  validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`);

/** Headers that the document has to name when they come. */
const OURS = /^(?:x-(?!content-type-options$)|ratelimit|etag$|location$|idempotent-|retry-after$|www-authenticate$)/u;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: unknown;
}

/** Checks answers to requests of documented operations; for others it finds nothing wrong. */
export function answerChecker(document: ApiDocument): (method: string, path: string, answer: Answer) => string[] {
  const { getValidator, at } = reader(document);
  const routes = Object.entries(document.paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u'),
    operations,
  }));
  return (method, path, { status, headers, text, body }) => {
    const [plain = ''] = path.split('?', 1);
    const operation = routes.find(({ pattern }) => pattern.test(plain))?.operations[method.toLowerCase()];
    if (!operation) return [];
    const documented = operation.responses[String(status)];
    if (!documented) return [`${operation.operationId} has no status ${String(status)}: ${text}`];
    const response = at(documented);
    const faults = Object.entries(response.headers ?? {}).flatMap(([name, header]) =>
      at(header).required && headers[name.toLowerCase()] === undefined ? [`no header ${name}`] : [],
    );
    const named = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
    for (const name of Object.keys(headers))
      if (OURS.test(name) && !named.includes(name)) faults.push(`the header ${name} is not in the document`);
    const content = response.content?.['application/json'];
    if (!content) return text === '' ? faults : [...faults, 'a body where there is none'];
    faults.push(...getProblems(getValidator(content.schema), body));
    const code = (body as { error?: { code?: string } } | undefined)?.error?.code;
    if (status >= 400 && !Object.keys(content.examples ?? {}).includes(String(code)))
      faults.push(`the code ${String(code)} is not in the document`);
    return faults.map((fault) => `${operation.operationId} ${String(status)}: ${fault}`);
  };
}

/** The schema of the body that an operation takes, as a validator; undefined: it takes none. */
export function bodyValidators(document: ApiDocument): ReadonlyMap<string, Validate> {
  const { getValidator } = reader(document);
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  return new Map(
    operations.flatMap(({ operationId, requestBody }) =>
      requestBody ? [[operationId, getValidator(requestBody.content['application/json'].schema)] as const] : [],
    ),
  );
}

/** The schemas of an operation's parameters, by name, as validators. */
export function parameterValidators(document: ApiDocument, path: string, method: string): ReadonlyMap<string, Validate> {
  const { getValidator, at } = reader(document);
  const { parameters = [] } = document.paths[path]?.[method.toLowerCase()] ?? {};
  return new Map(parameters.map((each) => at(each)).map(({ name, schema }) => [name, getValidator(schema)] as const));
}

export interface WebhookDocument {
  readonly openapi: string;
  readonly webhooks: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly parameters: readonly { readonly $ref: string }[];
          readonly requestBody: { readonly content: { readonly 'application/json': MediaType } };
        };
      }
    >
  >;
  readonly components: { readonly schemas: Json };
}

/** Checks the body of a delivery. */
export function eventChecker(document: WebhookDocument): (body: string) => string[] {
  const { getValidator } = reader(document);
  return (body) => {
    const value = JSON.parse(body) as { event: string };
    const webhook = document.webhooks[value.event];
    if (!webhook) return [`${value.event} is not in the document`];
    return getProblems(getValidator(webhook.post.requestBody.content['application/json'].schema), value).map(
      (fault) => `${value.event}: ${fault}`,
    );
  };
}
