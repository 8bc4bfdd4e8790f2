// Reads the OpenAPI document, and adapts it to the page.

/** Placeholder for the idempotency key; replaced by a random key in every request. */
export const GENERATED_KEY = 'generated-for-each-request';

const FIRST_ERROR_STATUS = 400;

/** @param {OpenApiDocument} openApi */
export function listOperations({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/**
 * Returns the names and descriptions of an operation's parameters and fields.
 *
 * @param {OpenApiDocument} openApi
 * @param {OpenApiOperation} operation
 * @returns {string}
 */
export function collectText({ components }, { parameters = [], requestBody, responses }) {
  /** @type {Set<unknown>} */
  const seen = new Set();
  /** @type {string[]} */
  const words = [];
  /** @param {unknown} value */
  const visit = (value) => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    for (const [name, inner] of /** @type {[string, unknown][]} */ (Object.entries(value))) {
      if (name === '$ref' && typeof inner === 'string') visit(components.schemas[inner.slice(inner.lastIndexOf('/') + 1)]);
      else if ((name === 'description' || name === 'name') && typeof inner === 'string') words.push(inner);
      else if (name === 'properties' && typeof inner === 'object' && inner !== null) words.push(...Object.keys(inner));
      if (name !== 'example' && name !== 'examples') visit(inner);
    }
  };
  const successes = Object.entries(responses).filter(([status]) => Number(status) < FIRST_ERROR_STATUS);
  for (const part of [parameters, requestBody, ...successes.map(([, response]) => response)]) visit(part);
  return words.join(' ');
}

/**
 * Returns all error codes of the document, sorted by status.
 *
 * @param {OpenApiDocument} openApi
 * @returns {readonly ErrorRow[]}
 */
export function listErrors(openApi) {
  /** @type {Map<string, ErrorRow>} */
  const rows = new Map();
  for (const { method, operation } of listOperations(openApi)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) < FIRST_ERROR_STATUS) continue;
      for (const [code, example] of Object.entries(resolve(openApi, response).content['application/json'].examples)) {
        const row = rows.get(code) ?? { code, status, meaning: example.summary, methods: new Set(), isSpecific: false };
        row.methods.add(method);
        row.isSpecific ||= operation['x-errors'].includes(code);
        rows.set(code, row);
      }
    }
  }
  return [...rows.values()].sort((a, b) => Number(a.status) - Number(b.status));
}

/**
 * @param {OpenApiDocument} openApi
 * @param {OpenApiResponse | { readonly $ref: string }} response
 * @returns {OpenApiResponse}
 */
function resolve({ components }, response) {
  if (!('$ref' in response)) return response;
  const found = components.responses[response.$ref.slice(response.$ref.lastIndexOf('/') + 1)];
  if (found === undefined) throw new Error(`no response ${response.$ref}`);
  return found;
}

/**
 * Adapts the document to the viewer: API keys only, because OAuth is for applications; no example values in optional filters, because
 * swagger-ui would send them; no introduction and no error responses, because the page shows them itself, once.
 *
 * @param {OpenApiDocument} openApi
 */
export function prepareForViewer(openApi) {
  const { apiKey } = openApi.components.securitySchemes;
  openApi.components.securitySchemes = { apiKey };
  openApi.components.responses = {};
  openApi.components.parameters.IdempotencyKey.example = GENERATED_KEY;
  for (const { operation } of listOperations(openApi)) {
    operation.security = [{ apiKey: [] }];
    operation.responses = Object.fromEntries(Object.entries(operation.responses).filter(([status]) => Number(status) < FIRST_ERROR_STATUS));
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in === 'query' && !parameter.required) delete parameter.example;
      if (parameter['x-extension']) parameter.description = `${parameter.description ?? ''} *Extension.*`;
    }
  }
}
