/** What the page's script finds in the browser besides the browser. */

/** The parts of the served description that the page reads or changes. */
interface Description {
  servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly parameters: { readonly IdempotencyKey: { example?: unknown } };
    securitySchemes: Readonly<Record<string, unknown>>;
  };
}
interface DescribedOperation {
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

/** The answer of `GET /v1/auth/context`, or a refusal. */
interface OwnerAnswer {
  readonly data?: { readonly tenant: { readonly plan: string }; readonly api_key: { readonly scopes: readonly string[] } };
  readonly error?: { readonly message: string };
}

interface ViewerRequest {
  readonly headers: Record<string, string>;
}

/** What viewer.js leaves behind; the package has no types of its own. */
declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => {
  preauthorizeApiKey(scheme: string, key: string): void;
  readonly authActions: { logout(schemes: readonly string[]): void };
  getSystem(): { readonly layoutActions: { show(thing: readonly string[], shown: boolean): void } };
};
