/** Types of `page.js` that the DOM library does not have. */

/** The parts of the OpenAPI document that the page reads or changes. */
interface OpenApiDocument {
  servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly parameters: { readonly IdempotencyKey: { example?: unknown } };
    securitySchemes: Readonly<Record<string, unknown>>;
  };
}
interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly in?: string;
    readonly required?: boolean;
    readonly 'x-extension'?: boolean;
    description?: string;
    example?: unknown;
  }[];
  security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** The response of `GET /v1/auth/context`, or an error. */
interface AuthContextReply {
  readonly data?: { readonly tenant: { readonly plan: string }; readonly api_key: { readonly scopes: readonly string[] } };
  readonly error?: { readonly message: string };
}

interface ViewerRequest {
  readonly headers: Record<string, string>;
}

/** The global variable of viewer.js (swagger-ui); its package has no types. */
declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => {
  preauthorizeApiKey(scheme: string, key: string): void;
  readonly authActions: { logout(schemes: readonly string[]): void };
  getSystem(): { readonly layoutActions: { show(thing: readonly string[], shown: boolean): void } };
};
