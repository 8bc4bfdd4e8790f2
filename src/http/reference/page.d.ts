/** Types of the page's modules that the DOM library does not have. */

/** The parts of the OpenAPI document that the page reads or changes. */
interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly parameters: { readonly IdempotencyKey: { example?: unknown } };
    readonly schemas: Readonly<Record<string, unknown>>;
    responses: Readonly<Record<string, OpenApiResponse>>;
    securitySchemes: Readonly<Record<string, unknown>>;
  };
}
interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly schema?: { readonly format?: string };
    readonly required?: boolean;
    readonly 'x-extension'?: boolean;
    description?: string;
    example?: unknown;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: unknown } } };
  responses: Readonly<Record<string, OpenApiResponse | { readonly $ref: string }>>;
  security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-codeSamples': readonly CodeSample[];
  readonly 'x-errors': readonly string[];
}
/** An error response; the examples are named after its codes. */
interface OpenApiResponse {
  readonly content: {
    readonly 'application/json': {
      readonly examples: Readonly<Record<string, { readonly summary: string }>>;
    };
  };
}
interface CodeSample {
  readonly label: string;
  readonly source: string;
}

/** A row of the table of errors. */
interface ErrorRow {
  readonly code: string;
  readonly status: string;
  readonly meaning: string;
  /** Of all operations that return the code. */
  readonly methods: Set<string>;
  /** Whether the operations that return the code list it. */
  isSpecific: boolean;
}

interface SearchEntry {
  readonly item: HTMLLIElement;
  readonly link: HTMLAnchorElement;
  /** What names and describes the operation, in lower case. */
  readonly own: string;
  /** The same with its fields. */
  readonly text: string;
}

/** The response of `GET /v1/auth/context`, or an error. */
interface AuthContextReply {
  readonly data?: { readonly tenant: { readonly plan: string }; readonly api_key: { readonly scopes: readonly string[] } };
  readonly error?: { readonly message: string };
}

interface ViewerRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  url: string;
  body?: string;
}

/** An immutable map of swagger-ui. */
interface ViewerMap {
  get(name: 'headers'): { map(convert: (value: string, name: string) => string): unknown };
  set(name: 'headers', value: unknown): ViewerMap;
}

/** The document of webhooks, as far as the page reads it. */
interface WebhooksDocument {
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookEvent }>>;
}
interface WebhookEvent {
  readonly summary: string;
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly example?: unknown } } };
}

interface Viewer {
  preauthorizeApiKey(scheme: string, key: string): void;
  readonly authActions: { logout(schemes: readonly string[]): void };
  getSystem(): { getStore(): { dispatch(action: { readonly type: string; readonly payload: unknown }): void } };
}

type ViewerComponent = (props: Readonly<Record<string, unknown>>) => unknown;

interface ViewerSystem {
  getComponent(name: string): unknown;
  readonly React: {
    readonly Fragment: unknown;
    createElement(type: unknown, props: object | null, ...children: unknown[]): unknown;
  };
}

interface Window {
  /** Read by a library in viewer.js when it is loaded. */
  noZensmooth?: boolean;
}

/** The global variable of viewer.js (swagger-ui); its package has no types. */
declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => Viewer;
