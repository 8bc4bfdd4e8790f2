/** Types of the page's modules that the DOM library does not have. */

/** The parts of the OpenAPI document that the page reads or changes. */
interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly parameters: { readonly IdempotencyKey: { example?: unknown } };
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
    readonly in?: string;
    readonly required?: boolean;
    readonly 'x-extension'?: boolean;
    description?: string;
    example?: unknown;
  }[];
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
  /** In lower case. */
  readonly text: string;
}

/** The response of `GET /v1/auth/context`, or an error. */
interface AuthContextReply {
  readonly data?: { readonly tenant: { readonly plan: string }; readonly api_key: { readonly scopes: readonly string[] } };
  readonly error?: { readonly message: string };
}

interface ViewerRequest {
  readonly headers: Record<string, string>;
}

interface Viewer {
  preauthorizeApiKey(scheme: string, key: string): void;
  readonly authActions: { logout(schemes: readonly string[]): void };
  getSystem(): { readonly layoutActions: { show(thing: readonly string[], shown: boolean): void } };
}

type ViewerComponent = (props: Readonly<Record<string, unknown>>) => unknown;

interface ViewerSystem {
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
